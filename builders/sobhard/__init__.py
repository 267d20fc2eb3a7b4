"""What makes SOBHard datasets: readers and writers of fifteen source notations, and the small committed set."""
