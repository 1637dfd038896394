import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "../../src/app/read-user-config.js";
import { SetupChoices } from "../../src/app/setup-choices.js";
import { InstallationsFixture } from "./cli/installations-fixture.js";

describe("SetupChoices", () => {
  const user = new InstallationsFixture();
  const file = (): string => join(user.folder, "config.jsonc");
  const content = (): string => readFileSync(file(), "utf8");

  async function choices(text?: string): Promise<SetupChoices> {
    if (text !== undefined) writeFileSync(file(), text);
    return SetupChoices.of(await readConfiguration());
  }

  it("stand for the configuration before all agents, with the proxies that a new one has", async () => {
    const { offer, choice } = await choices();
    assert.deepEqual(
      [offer.agents[0]?.id, offer.agents.some(({ id }) => id === "eliza"), choice],
      [
        "as-configured",
        true,
        {
          agent: "as-configured",
          proxies: new Set(["sparkle", "ferris", "cargo", "ide-operations", "tests", "sources"]),
        },
      ],
    );
  });

  it("write a new configuration where there is none", async () => {
    const offered = await choices();
    await offered.save({ kind: "proxy", id: "cargo", isOn: false });
    await offered.save({ kind: "agent", id: "eliza" });
    assert.match(content(), /"agent": "eliza"/);
    assert.match(content(), /"cargo", "enabled": false/);
    const before = content();
    await offered.save({ kind: "agent", id: "as-configured" });
    assert.equal(content(), before);
  });

  it("keep a broken file beside the new one, and switch nothing in it", async () => {
    const offered = await choices("{ oops");
    await assert.rejects(offered.save({ kind: "proxy", id: "cargo", isOn: false }), /cannot be changed/);
    await offered.save({ kind: "agent", id: "eliza" });
    const [kept] = readdirSync(user.folder).filter((name) => name.startsWith("config.jsonc.broken-"));
    assert.equal(readFileSync(join(user.folder, kept ?? ""), "utf8"), "{ oops");
    assert.match(content(), /"agent": "eliza"/);
  });

  it("keep what else a file says that names no agent", async () => {
    const own = '{\n  // mine\n  "proxies": [{ "name": "cargo" }]\n}\n';
    const offered = await choices(own);
    assert.deepEqual(offered.choice.proxies, new Set(["cargo"]));
    await offered.save({ kind: "agent", id: "eliza" });
    assert.equal(content(), own.replace(/\n\}\n$/, ',\n  "agent": "eliza"\n}\n'));
  });
});
