import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { configSchema } from "../../src/settings/config-schema.js";
import { configKeys } from "../../src/settings/config.js";
import { defaultSettings, settingKeys } from "../../src/settings/settings-table.js";

const file = new URL("../../../config.schema.json", import.meta.url);

describe("configSchema", () => {
  it("is what config.schema.json holds (UPDATE_GOLDEN=1 rewrites it)", () => {
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(file, `${JSON.stringify(configSchema(), null, 2)}\n`);
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), configSchema());
  });

  it("knows the same keys as the parser, and the same defaults", () => {
    const properties = configSchema()["properties"] as Record<string, { default?: unknown }>;
    assert.deepEqual(Object.keys(properties).sort(), [...configKeys, ...settingKeys].sort());
    const defaults = settingKeys.map((key) => [key, properties[key]?.default]);
    assert.deepEqual(Object.fromEntries(defaults), defaultSettings);
  });
});
