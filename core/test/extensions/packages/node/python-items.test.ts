import assert from "node:assert/strict";
import { environmentIn, openPython } from "./python-stage.js";
import type { SourcesStage } from "./sources-stage.js";

const files = {
  "shop/__init__.py": `"""The shop."""
from __future__ import annotations
from . import carts
from .carts import (Cart as Basket,
    checkout,
)
from .deep import *
import base_lib

try:
    from ._speed import fast
except ImportError:
    def fast(count: int = 1) -> str:
        return "def hidden(): pass"

if True:
    LIMIT: int = 3

__all__ = ["Basket", "checkout", "LIMIT"]
__all__ += ['fast']


def __getattr__(name):
    return None
`,
  "shop/carts.py": `from base_lib.core import Base


class Cart(Base, metaclass=type):
    """Holds things.

    class Fake: in words
    """

    size: int = 0

    def __init__(self, name: str) -> None:
        self.name = name

    @property
    def total(self) -> int:
        """What it costs."""
        return 1

    class Line:
        def price(self): return 1

    def _private(self): ...


# Of what follows.
@first(
    "decorated",
)
async def checkout(cart: Cart, *, now: bool = True) -> None:
    '''Pays # it.'''
    await pay(cart)
`,
  "shop/deep/__init__.py": "from .inner import *\nfrom shop.deep.inner import named as renamed\n",
  "shop/deep/inner.py": "def named(): ...\ndef _hidden(): ...\n",
  "shop/lazy/only.py": "class Lazy:\n    pass\n",
  "shop/_speed.pyi": "def fast(count: int = ...) -> str: ...\ndef compiled() -> int: ...\n",
  "base_lib/__init__.py": "",
  "base_lib/core.py": "class Base:\n    def save(self):\n        '''Saves.'''\n",
};

describe("what a module of Python declares", function () {
  this.timeout(120_000);

  let stage: SourcesStage;
  before(async () => {
    stage = await openPython({
      "pyproject.toml": "",
      ...environmentIn(
        ".venv",
        {
          "shop-1.0.dist-info": {
            name: "shop",
            version: "1.0",
            files: Object.keys(files).filter((file) => file.startsWith("shop/")),
          },
          "base_lib-2.0.dist-info": {
            name: "base-lib",
            version: "2.0",
            files: ["base_lib/__init__.py", "base_lib/core.py"],
          },
        },
        files,
      ),
    });
  });
  after(() => stage[Symbol.asyncDispose]());

  const item = (symbol?: string, name = "shop") =>
    stage.call("package_item", { name, from: "main.py", ...(symbol !== undefined && { symbol }) });

  it("is listed: by __all__, else what is public, through `import *`", async () => {
    assert.match(await item(), /\nBasket, LIMIT, checkout, fast$/);
    assert.match(await item(undefined, "shop.deep"), /\nnamed, renamed$/);
  });

  it("is shown with decorators, documentation and place, through re-exports", async () => {
    assert.match(
      await item("checkout"),
      /\n\nshop\/carts\.py:30\n@first\(\n {4}"decorated",\n\)\nasync def checkout\(cart: Cart, \*, now: bool = True\) -> None:\n {4}'''Pays # it\.'''\n {4}await pay\(cart\)$/,
    );
    const basket = await item("Basket");
    assert.match(basket, /\n\nshop\/carts\.py:4\nclass Cart\(Base, metaclass=type\):\n {4}"""Holds things\./);
    assert.match(
      basket,
      /\n {4}size: int = 0\n\n {4}def __init__\(self, name: str\) -> None:.*\n {4}@property\n {4}def total\(self\) -> int:.*\n {4}class Line:\n/s,
    );
    assert.match(await item("LIMIT"), /shop\/__init__\.py:17\n {4}LIMIT: int = 3$/);
    assert.match(await item("renamed", "shop.deep"), /shop\/deep\/inner\.py:1\ndef named\(\): \.\.\.$/);
  });

  it("is found as a member: of classes in classes, and of bases in other distributions", async () => {
    assert.match(await item("Basket.total"), /shop\/carts\.py:16\n {4}@property\n {4}def total/);
    assert.match(await item("carts.Cart.Line.price"), /def price\(self\): return 1$/);
    assert.match(
      await item("Basket.save"),
      /base-lib 2\.0: .*\/base_lib\/core\.py:2\n {4}def save\(self\):\n {8}'''Saves\.'''$/,
    );
    assert.match(await item("Basket.nothing"), /declares no "Basket\.nothing"/);
  });

  it("is found in stubs where it is compiled, and by name where a module makes its names itself", async () => {
    assert.match(await item("compiled", "shop._speed"), /shop\/_speed\.pyi:2\n/);
    assert.match(await item("Lazy"), /shop\/lazy\/only\.py:1\n# Found by name only: .*\nclass Lazy:/);
    assert.match(await item("hidden"), /declares no "hidden"/);
  });
});
