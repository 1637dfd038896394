import assert from "node:assert/strict";
import {
  componentAnswer,
  formatTrust,
  isInFolder,
  isRefused,
  nothingTrusted,
  parseTrust,
  projectAnswer,
  trustingFolder,
  type TrustRecord,
  withAnswer,
  withoutProject,
  withoutTrusted,
  withProjectAnswer,
  withRefused,
  withTrusted,
} from "../../../src/settings/trust/trust-record.js";

describe("the trust record", () => {
  const record: TrustRecord = { folders: ["/home/me/work", "/srv/code"], refused: [], projects: [], components: [] };

  it("reads what it has written", () => {
    assert.deepEqual(parseTrust(formatTrust(record)), record);
    assert.deepEqual(parseTrust("{}"), nothingTrusted);
  });

  for (const [text, message] of [
    ["{", "line 1 isn't valid JSON"],
    ['{\n  "folders": [\n    "/a",\n  ]\n}\n', "line 3 isn't valid JSON"],
    ['{\n  "folders": [\n    oops\n  ]\n}\n', "line 3 isn't valid JSON"],
    ["[]", "it is no object"],
    ["null", "it is no object"],
    ['{"folders": "/"}', `"folders" isn't a list of strings`],
    ['{"folders": [1]}', `"folders" isn't a list of strings`],
    ['{"components": [{"file": "/w/a", "component": "x"}]}', `"components" isn't a list of answers`],
    ['{"refused": [{}]}', `"refused" isn't a list of strings`],
    ['{"projects": [{"repository": "/r"}]}', `"projects" isn't a list of answers`],
    ['{"projects": [{"repository": "/r", "folder": "", "entries": {"a": 1}}]}', `"projects" isn't a list of answers`],
    ['{"projects": [{"repository": "/r", "folder": "", "entries": 1}]}', `"projects" isn't a list of answers`],
    ['{"components": true}', `"components" isn't a list of answers`],
  ] as const) {
    it(`says why ${text} trusts nothing`, () => {
      assert.deepEqual(parseTrust(text), { kind: "problem", message });
    });
  }

  it("trusts what is in a trusted folder, and nothing that only begins with its name", () => {
    const asked = ["/home/me/work", "/home/me/work/a/b", "/home/me/worker", "/home/me", "/"];
    const folder = "/home/me/work";
    assert.deepEqual(
      asked.map((one) => trustingFolder(record, one)),
      [folder, folder, undefined, undefined, undefined],
    );
  });

  it("knows the folders of Windows and the root", () => {
    assert.deepEqual(
      [
        isInFolder("C:\\work\\a", "C:\\work"),
        isInFolder("C:\\worker", "C:\\work"),
        isInFolder("C:\\work", "C:\\"),
        isInFolder("\\\\host\\share\\a", "\\\\host\\share"),
        isInFolder("/work", "/"),
      ],
      [true, false, true, true, true],
    );
  });

  it("names no folder that another one covers", () => {
    assert.deepEqual(withTrusted(record, "/srv/code/a"), record);
    assert.deepEqual(withTrusted(record, "/home"), { ...record, folders: ["/home", "/srv/code"] });
    assert.deepEqual(withoutTrusted(record, "/srv/code"), { ...record, folders: ["/home/me/work"] });
  });

  it("knows an answer for the same file and the very content alone, the last one of several", () => {
    const answer = { file: "/w/.vscode/settings.json", component: '{"id":"x"}', isAllowed: false };
    const kept = withAnswer(withAnswer(record, answer), { ...answer, isAllowed: true });
    assert.deepEqual(parseTrust(formatTrust(kept)), kept);
    assert.deepEqual(
      [
        componentAnswer(kept, answer.file, answer.component),
        componentAnswer(kept, "/other/.vscode/settings.json", answer.component),
        componentAnswer(kept, answer.file, '{"id":"x","args":[]}'),
        kept.components.length,
      ],
      [true, undefined, undefined, 1],
    );
  });

  it("refuses what is in a refused folder, until the user trusts it after all", () => {
    const refusing = withRefused(withRefused(record, "/tmp/a/b"), "/tmp/a");
    assert.deepEqual(parseTrust(formatTrust(refusing)), refusing);
    assert.deepEqual(
      ["/tmp/a", "/tmp/a/c", "/tmp/ab"].map((one) => isRefused(refusing, one)),
      [true, true, false],
    );
    assert.deepEqual(withTrusted(refusing, "/tmp/a/c").refused, ["/tmp/a/b"]);
    assert.deepEqual(withoutTrusted(refusing, "/tmp/a"), record);
  });

  it("has one answer about each configuration of a project", () => {
    const allowed = { repository: "/r/.git", folder: "", digest: "1", entries: { agent: '"x"' } };
    const never = { repository: "/r/.git", folder: "member" };
    const kept = withProjectAnswer(withProjectAnswer(withProjectAnswer(record, allowed), never), {
      ...allowed,
      digest: "2",
    });
    assert.deepEqual(parseTrust(formatTrust(kept)), kept);
    assert.deepEqual(
      [kept.projects.length, projectAnswer(kept, allowed)?.digest, projectAnswer(kept, never)],
      [2, "2", never],
    );
    assert.deepEqual(withoutProject(kept, allowed).projects, [never]);
  });
});
