import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { missingSignals, recordedFile, type Recording, recordings, reportOf, shortLength } from "./cargo-recordings.js";

const bytes = (text: string): number => Buffer.byteLength(text);

describe("formatReport", () => {
  for (const recording of recordings) {
    const { name, tellsMoreThanShort } = recording;

    it(`reports ${name} as recorded`, () => {
      const { text } = reportOf(recording);
      const golden = recordedFile(name, "txt");
      // For a change that is meant.
      if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(golden, text);
      assert.equal(text, readFileSync(golden, "utf8"));
    });

    it(`tells every signal that is planted in ${name}`, () => {
      const { text } = reportOf(recording);
      assert.deepEqual(missingSignals(recording, text), []);
    });

    it(`reports ${name} alike however its output is cut`, () => {
      assert.equal(reportOf(recording, 7).text, reportOf(recording).text);
    });

    it(`takes less for ${name} than cargo itself`, () => {
      const { text, log } = reportOf(recording);
      assert.ok(bytes(text) < bytes(log), `${bytes(text)} of ${bytes(log)} bytes`);
      if (tellsMoreThanShort || recording.kind === "format") return;
      const short = shortLength(recording) ?? 0;
      assert.ok(bytes(text) < short, `${bytes(text)} bytes, the short form ${short}`);
    });
  }

  it("takes at most a tenth of a passing run and, in the median, three tenths of a failing one", () => {
    const ratio = (recording: Recording): number => {
      const { text, log } = reportOf(recording);
      return bytes(text) / bytes(log);
    };
    const failing = recordings.filter(({ code }) => code !== 0).map(ratio);
    const median = failing.sort((a, b) => a - b)[Math.floor(failing.length / 2)] ?? 1;
    assert.ok(median <= 0.3, String(median));
    const passing = recordings.filter(({ name }) => ["passing-test", "warnings-test"].includes(name)).map(ratio);
    assert.deepEqual(
      passing.map((share) => share <= 0.1),
      [true, true],
      String(passing),
    );
  });
});
