import assert from "node:assert/strict";
import {
  type ChainExtension,
  defaultExtensions,
  reordered,
  settingOf,
  withAdded,
  withEnabled,
  without,
} from "../../../src/features/settings/extensions-setting.js";

const ids = (extensions: readonly ChainExtension[]): string[] => extensions.map(({ id }) => id);

const mine: ChainExtension = {
  id: "mine",
  name: "Mine",
  isEnabled: true,
  source: "custom",
  spec: "{}",
  needsInstallation: false,
  entry: { id: "mine", name: "Mine", distribution: { npx: { package: "mine" } }, note: "by hand" },
};

describe("the list of extensions", () => {
  it("is no setting at all while it is the default", () => {
    assert.equal(settingOf(defaultExtensions), undefined);
    assert.equal(settingOf(withEnabled(withEnabled(defaultExtensions, "cargo", false), "cargo", true)), undefined);
    const withOptions = defaultExtensions.map((one) => ({ ...one, entry: { ...one.entry, options: { a: 1 } } }));
    assert.deepEqual(
      settingOf(withOptions),
      withOptions.map(({ entry }) => entry),
    );
  });

  it("says what is disabled, and loses nothing that the user wrote", () => {
    const list = withEnabled([mine], "mine", false);
    assert.deepEqual(settingOf(list), [{ ...mine.entry, _enabled: false, _source: "custom" }]);
  });

  it("is put into another order, and keeps what the order does not name", () => {
    assert.deepEqual(ids(reordered(defaultExtensions, ["cargo", "unknown", "sparkle"])), [
      "cargo",
      "sparkle",
      "ferris",
      "ide-operations",
      "tests",
      "sources",
    ]);
  });

  it("loses one and gains one, at the end or in place of its namesake", () => {
    const list = withAdded(without(defaultExtensions, "ferris"), mine);
    assert.deepEqual(ids(list), ["sparkle", "cargo", "ide-operations", "tests", "sources", "mine"]);
    const again = withAdded(list, { ...mine, name: "Newer" });
    assert.deepEqual([ids(again), again.at(-1)?.name], [ids(list), "Newer"]);
  });
});
