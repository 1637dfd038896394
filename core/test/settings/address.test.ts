import assert from "node:assert/strict";
import { isSafeAddress } from "../../src/settings/address.js";
import { parseConfig } from "../../src/settings/config.js";
import { defaultSettings } from "../../src/settings/settings-table.js";

describe("isSafeAddress", () => {
  const safe = [
    "https://a.example",
    "HTTPS://a.example:8443/x?y#z",
    "http://localhost:1/x",
    "http://127.0.0.1",
    "http://[::1]:8080/",
  ];
  for (const address of safe) it(`accepts ${address}`, () => assert.ok(isSafeAddress(address)));

  const unsafe = [
    "",
    "a.example",
    "http://a.example",
    "http://localhost.a.example",
    "http://127.0.0.1.a.example",
    "http://localhost@a.example",
    "https://user:secret@a.example",
    "http://localhost\\@a.example",
    "https://a.example/a b",
    "ftp://a.example",
    "file:///etc/passwd",
    " https://a.example",
    "https://",
    "https://a.example:99999",
    "http://127.0.0.999",
  ];
  for (const address of unsafe) it(`refuses ${JSON.stringify(address)}`, () => assert.ok(!isSafeAddress(address)));
});

describe("a setting that is an address", () => {
  it("may be another https address, or empty to switch it off", () => {
    const text = `{"registryUrl":"https://a.example/list.json","registryFallbackUrl":""}`;
    const { config, problems } = parseConfig(text, []);
    assert.deepEqual(problems, []);
    assert.deepEqual(config.settings, {
      ...defaultSettings,
      registryUrl: "https://a.example/list.json",
      registryFallbackUrl: "",
    });
  });

  for (const given of ["http://a.example/list.json", 7]) {
    it(`has its default, and a warning, when it is ${JSON.stringify(given)}`, () => {
      const { config, problems } = parseConfig(JSON.stringify({ registryUrl: given }), []);
      assert.equal(config.settings.registryUrl, defaultSettings.registryUrl);
      assert.deepEqual(
        problems.map(({ severity, message }) => `${severity}: ${message}`),
        [`warning: "registryUrl" must be an https address, got ${JSON.stringify(given)}.`],
      );
    });
  }
});
