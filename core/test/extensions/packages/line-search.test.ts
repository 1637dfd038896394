import assert from "node:assert/strict";
import { matchIn, textNote, toPattern } from "../../../src/extensions/packages/text/line-search.js";

const isText = (query: string): boolean => toPattern(query).textBecause !== undefined;

describe("the pattern that lines are searched for", () => {
  it("is a regular expression, which may repeat what repeats inside", () => {
    for (const query of [
      String.raw`const \w+ *=`,
      String.raw`interface \w+ {`,
      String.raw`export (?:declare )?(?:class|interface|type) \w+`,
      String.raw`(?<name>[\w$]+)\s*\(`,
      String.raw`[({\])+]+x`,
      String.raw`(\w+\.?)+\(`,
      "(?:[0-9]{2}:){2}",
      "a{2,}?",
      "(ab)+",
      "(a|a)*b",
      "a?".repeat(30) + "a".repeat(30),
    ]) {
      assert.equal(isText(query), false, query);
    }
    assert.equal(matchIn("  const value   = 1;", toPattern(String.raw`const \w+ *=`)), 2);
    assert.equal(matchIn("say Needle", toPattern("needle")), 4);
    assert.equal(matchIn("say needle", toPattern("Needle")), undefined);
  });

  it("is text where the engine cannot run it, or it is no regular expression, and says so", () => {
    for (const query of ["(a)\\1", "^(?=.*x)y", "(?:(?:a{1000}){1000}){1000}", "(?:){1000000}", "extra("]) {
      assert.equal(isText(query), true, query);
      assert.equal(matchIn(`x${query}`, toPattern(query)), 1, query);
    }
    assert.match(textNote(toPattern("(?=a)b")), /searched for as text: look-arounds, back-references,/);
    assert.match(textNote(toPattern("extra(")), /searched for as text: it isn't a regular expression/);
    assert.equal(textNote(toPattern("a+")), "");
  });

  it("reaches to the end of a line that someone wrote by hand", () => {
    const line = `${"-".repeat(10_000)}needle`;
    const found = ["needle", "ne+dle", ".*needle", "n.*e.*d.*le"].map((query) => matchIn(line, toPattern(query)));
    assert.deepEqual(found, [10_000, 10_000, 0, 10_000]);
    assert.equal(matchIn(`${"-".repeat(20_000)}needle`, toPattern("needle")), undefined);
  });
});
