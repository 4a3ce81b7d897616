"""Explanations that other pages link to, an anchor for each number."""

from __future__ import annotations

from flask import Blueprint, render_template

page = Blueprint("help", __name__)


@page.get("/help/ratings")
def ratings() -> str:
    """The numbers of rating tables, pairs and tournaments."""
    return render_template("ratings/help/ratings.html")
