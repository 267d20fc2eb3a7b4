"""The one error of dataset rows that cannot be asked or scored."""

__all__ = ["RowError"]


class RowError(ValueError):
    """A dataset row that its benchmark gives no meaning to.

    Attributes:
        problem: what is wrong, without saying where.
        place: dotted path of the field, such as ``meta.task_meta.ops[2].path``, or "" if it is no single field's fault.
        row: id of the row, or "" until it is known; whoever reads a whole file says the row's number instead.
    """

    def __init__(self, problem: str, place: str = "", row: str = "") -> None:
        self.problem = problem
        self.place = place
        self.row = row
        super().__init__(problem, place, row)

    def __str__(self) -> str:
        where = ", ".join(part for part in (f"row {self.row}" if self.row else "", self.place) if part)
        return f"{where}: {self.problem}" if where else self.problem

    def within(self, row: str) -> "RowError":
        """The same error with the row's id filled in where it was open."""
        return RowError(self.problem, self.place, self.row or row)
