"""The client of Volley: one call in, every result out."""

from .errors import VolleyError
from .client import Volley

__all__ = ["Volley", "VolleyError"]
