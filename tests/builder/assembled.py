"""Small builds and releases made by the commands, for tests."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner, Result

from builder.commands import main

SPLIT = "0.6,0.2,0.2"


def run(*words: object, code: int = 0) -> Result:
    """Run a command and check how it ends."""
    done = CliRunner().invoke(main, [str(word) for word in words])
    assert done.exit_code == code, done.output + repr(done.exception)
    return done


def build(out: Path, level: str, *words: object) -> Path:
    """Build forty rows of a level; further words stand last and so win."""
    run(
        *(f"build-{level}", "--size", 40, "--plans", 60, "--split", SPLIT, "--controls", 0.05),
        *("--workers", 1, "--quiet", "--out", out, *words),
    )
    return out


def build_both(folder: Path, *words: object) -> tuple[Path, Path]:
    """Build both levels, split alike."""
    return (
        build(folder / "level1", "level1", *words),
        build(folder / "level2", "level2", *words),
    )


def release(out: Path, *words: object, version: str = "1.0.0", code: int = 0) -> Result:
    """Assemble a release; further words are builds and options."""
    named = ("--name", "tiny-rows", "--version", version, "--workers", 1, "--out", out)
    return run("release", *words, *named, code=code)
