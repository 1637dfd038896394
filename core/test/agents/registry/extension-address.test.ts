import assert from "node:assert/strict";
import { extensionAddress } from "../../../src/agents/registry/read-entry.js";

const raw = "https://raw.githubusercontent.com/owner/some.repo";

describe("extensionAddress", () => {
  const table = [
    ["https://github.com/owner/some.repo", `${raw}/HEAD/extension.json`],
    ["https://github.com/owner/some.repo/", `${raw}/HEAD/extension.json`],
    ["https://www.github.com/owner/some.repo.git", `${raw}/HEAD/extension.json`],
    ["https://github.com/owner/some.repo?tab=readme#top", `${raw}/HEAD/extension.json`],
    ["https://github.com/owner/some.repo/tree/main", `${raw}/main/extension.json`],
    ["https://github.com/owner/some.repo/tree/v1.0/sub/folder/", `${raw}/v1.0/sub/folder/extension.json`],
    ["https://github.com/owner/some.repo/blob/main/extension.jsonc", `${raw}/main/extension.jsonc`],
    ["https://github.com/owner/some.repo/blob/main/a/b.json?raw=true#L1", `${raw}/main/a/b.json`],
    ["https://github.com/owner/some.repo/raw/main/a/b.json", `${raw}/main/a/b.json`],
    [`${raw}/main/extension.json`, `${raw}/main/extension.json`],
    ["https://a.example/extension.json?v=2#x", "https://a.example/extension.json?v=2"],
    [
      "https://github.com/owner/some.repo/releases/latest/download/extension.json",
      "https://github.com/owner/some.repo/releases/latest/download/extension.json",
    ],
    ["https://github.com/owner", "https://github.com/owner"],
    ["https://github.com.a.example/owner/some.repo", "https://github.com.a.example/owner/some.repo"],
  ] as const;
  for (const [page, expected] of table) {
    it(`reads ${page} from ${expected}`, () => assert.equal(extensionAddress(page), expected));
  }
});
