"""Explanations that other pages link to, with an anchor for each number."""

from flask import Blueprint, render_template

page = Blueprint("help", __name__)


@page.get("/help/ratings")
def ratings() -> str:
    return render_template("ratings/help/ratings.html")
