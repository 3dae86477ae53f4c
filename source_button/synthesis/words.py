"""Words that generated people, places and firms are made of.

Names, firms and streets come once per process from a Faker with a fixed seed; drawing
them anew for every trajectory would cost more than all the rest of it.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from faker import Faker

CITIES = (
    "Lisbon",
    "Oslo",
    "Vienna",
    "Porto",
    "Kraków",
    "Seville",
    "Dublin",
    "Hamburg",
    "Turin",
    "Osaka",
    "Kyoto",
    "Singapore",
    "Montreal",
    "Denver",
    "Austin",
    "Seattle",
    "Boston",
    "Chicago",
    "Toronto",
    "Melbourne",
    "Auckland",
    "Cape Town",
    "Nairobi",
    "Lima",
    "Bogotá",
    "Valencia",
    "Ghent",
    "Basel",
    "Stockholm",
    "Helsinki",
    "Prague",
    "Budapest",
    "Athens",
    "Edinburgh",
    "Bristol",
    "Leeds",
    "Marseille",
    "Lyon",
    "Naples",
    "Zagreb",
    "Tallinn",
    "Copenhagen",
    "Rotterdam",
    "Santiago",
    "Wellington",
    "Vancouver",
    "Portland",
    "Nashville",
)
COUNTRIES = (
    ("Germany", "DE"),
    ("France", "FR"),
    ("Spain", "ES"),
    ("Portugal", "PT"),
    ("Italy", "IT"),
    ("Norway", "NO"),
    ("Japan", "JP"),
    ("Canada", "CA"),
    ("Brazil", "BR"),
    ("Kenya", "KE"),
    ("Mexico", "MX"),
    ("Sweden", "SE"),
    ("Poland", "PL"),
    ("Ireland", "IE"),
    ("Austria", "AT"),
    ("Switzerland", "CH"),
    ("Australia", "AU"),
    ("Singapore", "SG"),
    ("Chile", "CL"),
)
LANGUAGES = (
    ("French", "fr"),
    ("Spanish", "es"),
    ("German", "de"),
    ("Italian", "it"),
    ("Portuguese", "pt"),
    ("Japanese", "ja"),
    ("Polish", "pl"),
    ("Dutch", "nl"),
    ("Swedish", "sv"),
    ("Korean", "ko"),
    ("Czech", "cs"),
    ("Greek", "el"),
)
CURRENCIES = (
    ("euros", "EUR"),
    ("British pounds", "GBP"),
    ("Japanese yen", "JPY"),
    ("Swiss francs", "CHF"),
    ("Canadian dollars", "CAD"),
    ("Swedish kronor", "SEK"),
    ("Australian dollars", "AUD"),
    ("Norwegian kroner", "NOK"),
    ("Polish zloty", "PLN"),
)
AIRLINES = (
    ("Lufthansa", "LH"),
    ("Iberia", "IB"),
    ("TAP Air Portugal", "TP"),
    ("Finnair", "AY"),
    ("Air Canada", "AC"),
    ("Qantas", "QF"),
    ("KLM", "KL"),
    ("Swiss", "LX"),
    ("ANA", "NH"),
    ("British Airways", "BA"),
    ("Delta", "DL"),
    ("Alaska Airlines", "AS"),
    ("LOT", "LO"),
)
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
MAIL_HOSTS = (
    "example.com",
    "mail.example.org",
    "post.example.net",
    "inbox.example.com",
    "office.example.org",
)


@dataclass(frozen=True, slots=True)
class Pools:
    """Fixed lists, equal in every process that runs one version of Faker."""

    people: tuple[str, ...]
    companies: tuple[str, ...]
    streets: tuple[str, ...]


@functools.cache
def draw_pools() -> Pools:
    """Draw the pools; their order and content depend on the Faker version only."""
    fake = Faker("en_US")
    fake.seed_instance(20240611)
    people = tuple(dict.fromkeys(f"{fake.first_name()} {fake.last_name()}" for _ in range(600)))
    companies = tuple(dict.fromkeys(fake.company() for _ in range(260)))
    streets = tuple(dict.fromkeys(fake.street_address() for _ in range(300)))
    return Pools(people=people, companies=companies, streets=streets)
