"""Sets up the middle of a round, to test single rules.

Hands, rows and piles use the notation "3 5 llama".
"""

from collections.abc import Sequence
from typing import TypeVar

from arena.games.rules.dice import Dice
from arena.games.rules.game import Game
from arena.games.rules.kadabra import Kadabra
from arena.games.rules.kadabra_tokens import POOL, STAGE
from arena.games.rules.lama import Lama
from arena.games.rules.party import Party
from arena.games.rules.shedding import SheddingGame
from arena.games.rules.tokens import Tokens

SEED = bytes(16)
PILE = "1 2 3 4 5 6"
FULL_LLAMA_ROW = "1 2 3 4 5 6 llama"

CardGame = TypeVar("CardGame", bound=SheddingGame)


def kinds(game: Game | type[Game], cards: str) -> list[int]:
    """The kinds of these cards."""
    return [game.kinds.index(card) for card in cards.split()]


def counted(game: Game, cards: Sequence[int]) -> list[int]:
    """The number of cards of each kind."""
    return [cards.count(kind) for kind in range(len(game.kinds))]


def lay(
    game: CardGame, hands: Sequence[str], top: str, pile: str, turn: int, quitters: Sequence[int]
) -> CardGame:
    """Sets the hands, the turn, and the pile, whose first card is drawn next."""
    stock = kinds(game, pile)
    game.drawn = len(game.deck) - len(stock)
    game.log.deck[game.drawn :] = stock
    game.hands = [counted(game, kinds(game, hand)) for hand in hands]
    game.sizes = [sum(hand) for hand in game.hands]
    game.top = game.start = game.kinds.index(top)
    leave(game, quitters)
    game.begin_turn(turn)
    return game


def leave(game: Game, quitters: Sequence[int]) -> None:
    """These seats have quit the round."""
    for seat in quitters:
        game.active[seat] = False
    game.in_round = sum(game.active)


def lama(
    hands: Sequence[str],
    top: str,
    pile: str = PILE,
    turn: int = 0,
    points: Sequence[int] | None = None,
    quitters: Sequence[int] = (),
) -> Lama:
    game = Lama(len(hands), SEED)
    game.points = list(points or game.points)
    return lay(game, hands, top, pile, turn, quitters)


def party(
    hands: Sequence[str],
    top: str,
    pile: str = PILE,
    turn: int = 0,
    points: Sequence[int] | None = None,
    quitters: Sequence[int] = (),
) -> Party:
    game = Party(len(hands), SEED)
    game.points = list(points or game.points)
    return lay(game, hands, top, pile, turn, quitters)


def kadabra(
    hands: Sequence[str],
    top: str,
    pile: str = PILE,
    turn: int = 0,
    quitters: Sequence[int] = (),
    tokens: Sequence[tuple[int, int]] | None = None,
    stage: tuple[int, int] = (0, 0),
    magic: int | str = "pool",
    show: bool = False,
) -> Kadabra:
    """`tokens` are whites and blacks by seat; `magic` is "pool", "stage" or a seat."""
    game = Kadabra(len(hands), SEED)
    game.tokens = [Tokens(*held) for held in tokens or [(3, 0)] * len(hands)]
    game.count_points()
    game.stage = Tokens(*stage)
    game.magic = {"pool": POOL, "stage": STAGE}[magic] if isinstance(magic, str) else magic
    game.armed = show
    return lay(game, hands, top, pile, turn, quitters)


def dice(
    rows: Sequence[str],
    llama_row: str = FULL_LLAMA_ROW,
    turn: int = 0,
    quitters: Sequence[int] = (),
    tokens: Sequence[tuple[int, int]] | None = None,
) -> Dice:
    """`tokens` are whites and blacks by seat."""
    game = Dice(len(rows), SEED)
    game.tokens = [Tokens(*held) for held in tokens or [(0, 0)] * len(rows)]
    game.points = [held.points for held in game.tokens]
    game.rows = [counted(game, kinds(game, row)) for row in rows]
    game.llama_row = counted(game, kinds(game, llama_row))
    leave(game, quitters)
    game.begin_turn(turn)
    return game


def legal_actions(game: Game) -> set[str]:
    """The legal actions in notation."""
    return {game.notation[action] for action in game.legal_actions}


def act(game: Game, *moves: str) -> None:
    """Plays moves such as "SEAT ACTION", or "SEAT roll 5 5 2" for a roll with this result."""
    for move in moves:
        seat, _, action = move.partition(" ")
        if isinstance(game, Dice) and action.startswith("roll "):
            action, _, shown = action.partition(" ")
            game.faces = tuple((value,) * 6 for value in kinds(game, shown))
        game.apply(game.parse(action), int(seat))


def rounds_over(game: Game) -> int:
    """The number of scored rounds."""
    return len([log for log in game.rounds if log.points])


def state(game: Game) -> dict[str, str]:
    """The whole state of a game, for comparisons."""
    held = [(name, getattr(game, name, None)) for name in dir(game) if not name.startswith("_")]
    return {name: repr(value) for name, value in held if not callable(value)}
