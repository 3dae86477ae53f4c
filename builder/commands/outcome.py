"""How commands end: exit codes, messages instead of tracebacks, progress."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, ParamSpec, Protocol, TypeVar

import click

from builder.refusal import Refusal, refuse_os_error
from plan.json_text import Json

P = ParamSpec("P")
R = TypeVar("R")

DONE = 0
FAULTY = 1
REFUSED = 2
INTERRUPTED = 130

SETTINGS = {"help_option_names": ["-h", "--help"]}

Advance = Callable[[int], None]


def examples(*lines: str, title: str = "Examples") -> str:
    """Return commands as a help page's last paragraph, its lines kept."""
    return "\n".join(["\b", f"{title}:", *(f"  {line}" for line in lines)])


def resumable(command: Callable[P, R]) -> Callable[P, R]:
    """Guard a command that, stopped and given again, goes on where it was."""
    return guarded(command, resumes=True)


def guarded(command: Callable[P, R], *, resumes: bool = False) -> Callable[P, R]:
    """Turn what can go wrong with inputs into a message and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        from source_button.reader import SourceError

        try:
            return command(*args, **kwargs)
        except Refusal as error:
            fail(str(error))
        except SourceError as error:
            fail(str(error))
        except BrokenPipeError:
            # The reader has gone (`| head`); the interpreter must not try to flush again.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(DONE)
        except OSError as error:
            out = kwargs.get("out")
            where = f"--out {out}" if out else "file system"
            fail(str(refuse_os_error(error, where, resumes=resumes)))
        except KeyboardInterrupt:
            then = " The same command goes on where it stopped." if resumes else ""
            click.echo(f"\nStopped.{then}", err=True)
            sys.exit(INTERRUPTED)

    return run


def fail(message: str) -> NoReturn:
    """Print a message on standard error and exit with 2."""
    click.echo(f"Error: {message}", err=True)
    sys.exit(REFUSED)


def show_version(command: Callable[P, R]) -> Callable[P, R]:
    """Add ``--version``, looked up only when asked for."""

    def show(context: click.Context, _: click.Parameter, asked: bool) -> None:
        if asked and not context.resilient_parsing:
            from builder.resume.fingerprint import version

            click.echo(f"pararecover {version()}")
            context.exit()

    return click.option(
        "--version",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version and exit.",
    )(command)


def print_json(value: Json) -> None:
    """Print one JSON object on standard output."""
    from plan.json_text import dumps

    click.echo(dumps(value))


class Told(Protocol):
    """A report: what it says to programs and to people, and whether all is well."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        ...

    def to_json(self) -> Json:
        """Return one object for programs."""
        ...

    def to_text(self) -> str:
        """Return lines for people."""
        ...


def tell(report: Told, *, as_json: bool, quiet: bool) -> NoReturn:
    """Print a report and end with `DONE`, or with `FAULTY` if something is wrong."""
    if as_json:
        print_json(report.to_json())
    elif not quiet:
        click.echo(report.to_text(), nl=False)
    sys.exit(DONE if report.ok else FAULTY)


@contextmanager
def bar(quiet: bool, words: str, total: int | None, unit: str) -> Iterator[Advance]:
    """Show a progress bar on standard error if that is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda count: None
        return
    from tqdm import tqdm

    with tqdm(total=total, desc=words, unit=f" {unit}s", file=sys.stderr, leave=False) as shown:

        def advance(count: int) -> None:
            shown.update(count)

        yield advance
