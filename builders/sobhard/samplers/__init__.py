"""What is chosen of a question, family by family: from a slot and a document to a recipe.

``SAMPLERS`` maps a family to its sampler. A sampler raises ``Unsuitable`` where the document gives no such question;
whoever calls it tries another document.
"""

from builders.sobhard.samplers.draw import Draw
from builders.sobhard.samplers.families import SAMPLERS
from builders.sobhard.samplers.programs import Unsuitable

__all__ = ["SAMPLERS", "Draw", "Unsuitable"]
