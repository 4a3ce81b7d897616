"""Calendars, as a calendar program reads them."""

from dashboard.tournaments.calendar.view import Event, document, escaped, folded

EVENT = Event("tournament-1@lama-arena", 0.0, 86_400.0, "Cup; a, b\\c", "http://x/1", 90.4)


def test_an_event_has_all_that_calendars_need() -> None:
    lines = document("All", [EVENT]).decode().split("\r\n")

    assert lines[0] == "BEGIN:VCALENDAR"
    assert lines[-2:] == ["END:VCALENDAR", ""]
    assert lines[5:14] == [
        "BEGIN:VEVENT",
        "UID:tournament-1@lama-arena",
        "DTSTAMP:19700101T000000Z",
        "DTSTART:19700102T000000Z",
        "DURATION:PT90S",
        "SUMMARY:Cup\\; a\\, b\\\\c",
        "URL:http://x/1",
        "STATUS:CONFIRMED",
        "END:VEVENT",
    ]


def test_a_calendar_without_events_still_has_a_component() -> None:
    lines = document("All", []).decode().split("\r\n")

    assert lines[5:7] == ["BEGIN:VTIMEZONE", "TZID:UTC"]
    assert lines[-3:] == ["END:VTIMEZONE", "END:VCALENDAR", ""]
    assert "VTIMEZONE" not in document("All", [EVENT]).decode()


def test_long_lines_are_folded_between_characters() -> None:
    text = "SUMMARY:" + "é🦙x" * 60
    lines = folded(text).split(b"\r\n")

    assert max(map(len, lines)) <= 75
    assert all(line.decode() for line in lines[:-1])
    assert folded(text).replace(b"\r\n ", b"").decode() == text + "\r\n"


def test_a_name_cannot_add_lines() -> None:
    assert escaped("a\r\nEND:VEVENT\rb\nc\x00") == "a\\nEND:VEVENTb\\nc"
