"""What makes datasets: no run executes it, nothing imports it."""
