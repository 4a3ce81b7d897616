"""Prepares a bot, and asks it for an answer."""

import inspect

from arena.games.rules.view import View
from arena.sdk.answer import checked, offered
from arena.sdk.bot import Bot


async def prepared(bot: Bot) -> None:
    """Calls the bot's `prepare` once. Exceptions propagate."""
    if not bot.is_prepared:
        result = bot.prepare()
        if inspect.isawaitable(result):
            await result
        bot.is_prepared = True


async def answer(bot: Bot, view: View) -> str | int:
    """Returns the bot's answer. Exceptions of `choose` propagate. Raises BadAnswer."""
    result = bot.choose(offered(view))
    return checked(await result if inspect.isawaitable(result) else result)
