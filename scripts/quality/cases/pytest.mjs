// Cases to record with pytest.

const shop = {
  "pytest.ini": "[pytest]\n",
  "shop/__init__.py": "",
  "shop/stock.py": `ITEMS = {"apple": 120, "bread": 310, "cheese": 890}


def price_of(name):
    if name not in ITEMS:
        raise LookupError(f"no such item: {name}")
    return ITEMS[name]


def total_of(names):
    return sum(price_of(name) for name in names)


def order_of(names):
    address = {"city": "Paris", "zip": "75001"}
    return {"id": 7, "customer": {"name": "Ada", "address": address}, "lines": names, "sum": {"net": total_of(names), "tax": 84}}
`,
  "shop/cache.py": `import logging
import sys

KEPT = {"since": "09:41", "rate": 100}


def rate_of(now):
    print(f"cache: stale since {KEPT['since']}, now {now}")
    print("cache: the refresh was refused (403)", file=sys.stderr)
    logging.getLogger("cache").warning("cache: retried 3 times")
    return KEPT["rate"]


def dig(depth):
    if depth == 0:
        raise ValueError("the mine is empty")
    return dig(depth - 1) + 1
`,
  "tests/conftest.py": "import os\nimport sys\n\nsys.path.insert(0, os.path.dirname(os.path.dirname(__file__)))\n",
  "tests/test_money.py": `import pytest


@pytest.mark.parametrize("n", range(60))
def test_adds(n):
    assert n + n == 2 * n
`,
  "tests/test_stock.py": `import pytest
from shop.stock import total_of


@pytest.mark.parametrize("n", range(36))
def test_total(n):
    assert total_of(["apple"] * n) == 120 * n
`,
};
const faulty = (text) => ({ "tests/test_faulty.py": text });
const one = (name, files, signals, more = {}) => ({
  runner: "pytest",
  name,
  files: { ...shop, ...files },
  signals,
  ...more,
});

const planted = `from shop.cache import rate_of
from shop.stock import order_of, total_of


def test_has_the_tax_deep_inside():
    order = order_of(["apple", "bread"])
    address = {"city": "Paris", "zip": "75001"}
    assert order == {"id": 7, "customer": {"name": "Ada", "address": address}, "lines": ["apple", "bread"], "sum": {"net": 430, "tax": 82}}


def test_knows_every_item():
    assert total_of(["apple", "tea"]) == 120


def test_has_a_fresh_rate():
    assert rate_of("10:12") == 104
`;
const plantedSignals = [
  "test_has_the_tax_deep_inside",
  "tests/test_faulty.py:8",
  "'tax': 84",
  "'tax': 82",
  "test_knows_every_item",
  "no such item: tea",
  "shop/stock.py:6",
  "tests/test_faulty.py:12",
  "test_has_a_fresh_rate",
  "tests/test_faulty.py:16",
  "100",
  "104",
  "cache: stale since 09:41, now 10:12",
  "cache: the refresh was refused (403)",
  "cache: retried 3 times",
  "3 failed",
  "96 passed",
];

export const pytestCases = [
  one("pass", {}, ["96 passed"], { passes: true }),
  one("faults", faulty(planted), plantedSignals),
  one("xdist", { ...faulty(planted), "pytest.ini": "[pytest]\naddopts = -n 2\n" }, plantedSignals),
  one("quiet", { ...faulty(planted), "pytest.ini": "[pytest]\naddopts = -q -q --tb=line\n" }, plantedSignals),
  one("load", faulty("from shop.nowhere import gone\n\n\ndef test_never():\n    assert gone\n"), [
    "tests/test_faulty.py",
    "No module named 'shop.nowhere'",
    ["1 error"],
  ]),
  one("syntax", faulty("def test_never(:\n    pass\n"), [
    "tests/test_faulty.py",
    "SyntaxError",
    ["line 1", "test_faulty.py:1"],
  ]),
  one("conftest", { "tests/conftest.py": "import nowhere_at_all\n" }, [
    "tests/conftest.py",
    "No module named 'nowhere_at_all'",
  ]),
  one(
    "set-up",
    faulty(`import pytest


@pytest.fixture
def database():
    raise RuntimeError("database is not up")


def test_opens(database):
    pass
`),
    ["test_opens", "database is not up", "tests/test_faulty.py:6", "1 error"],
  ),
  one(
    "tear-down",
    faulty(`import pytest


@pytest.fixture
def door():
    yield
    raise RuntimeError("could not lock the door")


def test_opens(door):
    pass
`),
    ["test_opens", "could not lock the door", "tests/test_faulty.py:7", "97 passed", "1 error"],
  ),
  one(
    "thread",
    faulty(`import threading


def refund():
    raise RuntimeError("late refund failed")


def test_refunds():
    thread = threading.Thread(target=refund)
    thread.start()
    thread.join()
`),
    ["late refund failed", "97 passed"],
    { passes: true },
  ),
  one(
    "timeout",
    faulty("import time\n\n\ndef test_waits_for_the_courier():\n    time.sleep(60)\n"),
    ["test_waits_for_the_courier"],
    {
      timeoutMs: 6_000,
    },
  ),
  one("leaves", faulty("import os\n\n\ndef test_runs_away():\n    os._exit(3)\n"), ["test_runs_away"]),
  one(
    "xdist-crash",
    {
      ...faulty("import os\n\n\ndef test_runs_away():\n    os._exit(3)\n"),
      "pytest.ini": "[pytest]\naddopts = -n 2\n",
    },
    ["test_runs_away", "crashed", "1 failed"],
  ),
  one(
    "many",
    faulty(
      Array.from({ length: 12 }, (_, n) => `def test_is_wrong_${n}():\n    assert ${n} + 1000 == ${2000 + n}\n`).join(
        "\n\n",
      ),
    ),
    Array.from({ length: 12 }, (_, n) => [
      `test_is_wrong_${n}`,
      `tests/test_faulty.py:${n * 4 + 2}`,
      `${2000 + n}`,
    ]).flat(),
  ),
  one(
    "skips",
    faulty(`import pytest


@pytest.mark.skip(reason="not sold online")
def test_online():
    pass


@pytest.mark.xfail(reason="no export licence")
def test_abroad():
    assert False


@pytest.mark.xfail(reason="no rocket")
def test_moon():
    assert True
`),
    ["96 passed", "1 skipped", ["1 failed as expected", "1 xfailed"], ["1 passed unexpectedly", "1 xpassed"]],
    { passes: true },
  ),
  one(
    "long",
    faulty(`def test_lists_the_stock():
    have = [{"id": n, "price": 61 if n == 60 else n} for n in range(120)]
    assert have == [{"id": n, "price": n} for n in range(120)]
`),
    ["test_lists_the_stock", "tests/test_faulty.py:3", "61"],
  ),
  one("deep", faulty("from shop.cache import dig\n\n\ndef test_digs():\n    assert dig(30) == 31\n"), [
    "test_digs",
    "the mine is empty",
    "shop/cache.py:16",
    "tests/test_faulty.py:5",
  ]),
  one(
    "warnings",
    faulty(`import warnings


def test_old_price():
    warnings.warn("price_of is old, use price", DeprecationWarning)
`),
    ["97 passed", "DeprecationWarning", "price_of is old, use price", "tests/test_faulty.py:5"],
    { passes: true },
  ),
  one(
    "unittest",
    faulty(`import unittest


class Shop(unittest.TestCase):
    def test_prices(self):
        for n in range(4):
            with self.subTest(n=n):
                self.assertEqual(n % 3, n)

    def test_opens(self):
        self.assertIn("open", {"closed": 1})
`),
    ["Shop", "test_prices", "test_opens", "tests/test_faulty.py:8", "tests/test_faulty.py:11", "'open' not found in"],
  ),
  one("usage", { "pytest.ini": "[pytest]\naddopts = --no-such-option\n" }, ["--no-such-option"]),
  one("nothing", { "tests/test_money.py": "", "tests/test_stock.py": "" }, [["no test ran", "no tests ran"]]),
];
