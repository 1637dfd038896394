import assert from "node:assert/strict";
import { withCommandOutput } from "../../src/agents/command-output.js";

const agent = { kind: "process", name: "a", command: { command: "a", args: ["--acp"], env: { KEY: "1" } } } as const;
const envOf = (...rest: Parameters<typeof withCommandOutput>): Readonly<Record<string, string>> =>
  withCommandOutput(...rest).command.env;

describe("the variables that make commands of an agent write less", () => {
  it("join those of the agent, which stay", () => {
    assert.deepEqual(withCommandOutput(agent, "short", {}), {
      kind: "process",
      name: "a",
      command: {
        command: "a",
        args: ["--acp"],
        env: {
          AI_AGENT: "symposium",
          NO_COLOR: "1",
          RUFF_OUTPUT_FORMAT: "concise",
          npm_config_fund: "false",
          npm_config_progress: "false",
          npm_config_update_notifier: "false",
          PIP_PROGRESS_BAR: "off",
          PIP_DISABLE_PIP_VERSION_CHECK: "1",
          UV_NO_PROGRESS: "1",
          KEY: "1",
        },
      },
    });
  });

  it("are none where somebody wants all output", () => {
    assert.equal(withCommandOutput(agent, "full", {}), agent);
  });

  it("take the place of nothing that the user has set, for the agent or for everything", () => {
    const own = { ...agent, command: { ...agent.command, env: { RUFF_OUTPUT_FORMAT: "json" } } };
    const env = envOf(own, "short", { AI_AGENT: "mine", PIP_PROGRESS_BAR: "" });
    assert.equal(env["RUFF_OUTPUT_FORMAT"], "json");
    assert.equal("AI_AGENT" in env, false);
    assert.equal("PIP_PROGRESS_BAR" in env, false);
  });

  for (const name of ["FORCE_COLOR", "CLICOLOR_FORCE"]) {
    it(`leave colour to whoever asks for it by ${name}`, () => {
      assert.equal("NO_COLOR" in envOf(agent, "short", { [name]: "1" }), false);
      const own = { ...agent, command: { ...agent.command, env: { [name]: "1" } } };
      assert.equal("NO_COLOR" in envOf(own, "short", {}), false);
    });
  }

  it("have nothing with which programs do or find something else", () => {
    for (const name of ["CI", "NODE_OPTIONS", "PIP_QUIET"]) assert.equal(name in envOf(agent, "short", {}), false);
  });
});
