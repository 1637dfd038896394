import assert from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { ChainChoices } from "../../../src/app/chain-choices.js";
import { proxiesOfConfig, proxiesOfTexts } from "../../../src/app/components.js";
import { readConfiguration, userConfigFile } from "../../../src/app/read-user-config.js";
import { openEnvironment } from "../../../src/app/environment.js";
import { openRegistry } from "../../../src/app/cli/registry/open-registry.js";
import type { ProxyComponent } from "../../../src/conductor/chain/component.js";
import { defaultSettings } from "../../../src/settings/settings-table.js";
import { InstallationsFixture } from "./installations-fixture.js";

describe("an installed extension", () => {
  const stage = new InstallationsFixture();

  async function environment(): ReturnType<typeof openEnvironment> {
    const settings = { ...defaultSettings, loginEnvironment: "off" } as const;
    return openEnvironment({ values: { log: "off" }, settings });
  }

  /** The programs of the proxies that the configuration comes to. */
  async function configured(): Promise<readonly ProxyComponent[]> {
    await using shared = await environment();
    const state = await readConfiguration();
    return state.state === "ok" ? await proxiesOfConfig(state.config.proxies, shared) : [];
  }

  const started = (program: string, options?: object): object => ({
    kind: "process",
    name: "theirs",
    command: { command: process.execPath, args: [program, "a"], env: {} },
    ...(options && { options }),
  });

  it("starts by its id in the configuration, with its options", async () => {
    const program = stage.install("theirs", "extensions");
    stage.configure({ proxies: [{ name: "theirs", options: { depth: 2 } }] });
    assert.deepEqual(await configured(), [started(program, { depth: 2 })]);
  });

  it("starts by its id after --proxy", async () => {
    const program = stage.install("theirs", "extensions");
    await using shared = await environment();
    assert.deepEqual(await proxiesOfTexts(["theirs"], shared), [started(program)]);
    assert.deepEqual(await proxiesOfTexts([JSON.stringify({ id: "theirs", options: { depth: 2 } })], shared), [
      started(program, { depth: 2 }),
    ]);
  });

  it("starts where the configuration says what had to be installed for it", async () => {
    const distribution = { cargo: { crate: "theirs" } };
    stage.configure({ proxies: [{ name: "theirs", distribution }] });
    assert.deepEqual(await configured(), []);
    assert.deepEqual(await (await openRegistry(0)).find("extension", "theirs"), {
      kind: "entry",
      entry: { id: "theirs", name: "theirs", distribution, origin: "custom" },
    });
    const program = stage.install("theirs", "extensions");
    assert.deepEqual(await configured(), [started(program)]);
  });

  it("is left out where its program is gone, or an agent has its id", async () => {
    await rm(stage.install("theirs", "extensions"));
    stage.install("other");
    stage.configure({ proxies: [{ name: "theirs" }, { name: "other" }] });
    const state = await readConfiguration();
    assert.deepEqual(state.state === "ok" && [state.config.proxies, state.problems.map(({ path }) => path)], [
      [],
      [
        ["proxies", 0, "name"],
        ["proxies", 1, "name"],
      ],
    ]);
  });

  it("can be switched on in a session, and the choice is read back", async () => {
    const program = stage.install("theirs", "extensions");
    stage.configure({ agent: "eliza", proxies: [{ name: "ferris", enabled: false }] });
    const state = await readConfiguration();
    if (state.state !== "ok" || !state.config.agent) throw new Error("the configuration is not sound");
    const choices = await ChainChoices.of(state, state.config.agent);
    const offered = choices.offer.proxies.find(({ id }) => id === "theirs");
    await using shared = await environment();
    const plan = await choices.plan({ agent: "eliza", proxies: new Set(["theirs"]) }, shared);
    await choices.save({ kind: "proxy", id: "theirs", isOn: true });
    assert.deepEqual(
      [offered, choices.choice.proxies.has("theirs"), plan.proxies, await configured()],
      [
        { id: "theirs", name: "theirs", description: "an installed extension" },
        false,
        [started(program)],
        [started(program)],
      ],
    );
    assert.match(await readFile(userConfigFile(), "utf8"), /"name": ?"theirs", "enabled": true/);
  });
});
