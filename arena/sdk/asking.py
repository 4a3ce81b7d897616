"""Having a bot prepare itself, and asking it for an answer."""

from __future__ import annotations

import inspect

from arena.games.rules.view import View
from arena.sdk.answer import checked, offered
from arena.sdk.bot import Bot


async def prepared(bot: Bot) -> None:
    """Has the bot prepare itself, if it has not. Raises whatever `prepare` raises."""
    if not bot.is_prepared:
        result = bot.prepare()
        if inspect.isawaitable(result):
            await result
        bot.is_prepared = True


async def answer(bot: Bot, view: View) -> str | int:
    """The bot's answer to one decision. Raises whatever `choose` raises, and BadAnswer."""
    result = bot.choose(offered(view))
    return checked(await result if inspect.isawaitable(result) else result)
