"""The one error of rows that cannot be scored."""

__all__ = ["RowError"]


class RowError(ValueError):
    """A dataset row that the contract gives no meaning to.

    Attributes:
        problem: what is wrong, without saying where.
        field: dotted path of the field, such as ``meta.task_meta.ops[2].path``.
        row: id of the row, or "" until it is known.
    """

    def __init__(self, problem: str, field: str, row: str = "") -> None:
        self.problem = problem
        self.field = field
        self.row = row
        super().__init__(problem, field, row)

    def __str__(self) -> str:
        return f"{f'row {self.row}: ' if self.row else ''}{self.field} {self.problem}"

    def within(self, row: str) -> "RowError":
        """The same error with the row's id filled in where it was open."""
        return RowError(self.problem, self.field, self.row or row)
