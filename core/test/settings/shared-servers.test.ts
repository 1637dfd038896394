import assert from "node:assert/strict";
import { Place, type Problem } from "../../src/base/problem.js";
import { parsePlacement } from "../../src/settings/placement.js";
import { answersFor, machineKey, sharedServersShape } from "../../src/settings/shared-servers.js";

describe("the answers about MCP servers and other machines", () => {
  it("name a machine as --on does, with the folder or context that selects it", () => {
    const keyOf = (text: string): string => {
      const placement = parsePlacement(text);
      return placement.kind === "problem" ? placement.message : machineKey(placement, "/w");
    };
    assert.deepEqual(
      [
        "ssh:build",
        "podman:web",
        "devcontainer",
        "kubernetes:dev/agent",
        `{"kubernetes":{"pod":"agent","context":"west"}}`,
        `{"kubernetes":{"pod":"dev","container":"agent"}}`,
        "command:./enter box",
      ].map(keyOf),
      [
        "ssh:build",
        "podman:web",
        "devcontainer:/w",
        "kubernetes:dev/agent",
        "kubernetes:agent@west",
        '{"kubernetes":{"pod":"dev","container":"agent"}}',
        "command:./enter box:/w",
      ],
    );
  });

  it("share nothing if they aren't true", () => {
    const setting = { "ssh:build": { git: true, db: false, web: "yes" }, "ssh:other": true };
    assert.deepEqual(
      [...answersFor(setting, "ssh:build")],
      [
        ["git", true],
        ["db", false],
        ["web", false],
      ],
    );
    for (const machine of ["ssh:other", "ssh:none"]) assert.deepEqual([...answersFor(setting, machine)], []);
    assert.deepEqual([...answersFor("all", "ssh:build")], []);
    const problems: Problem[] = [];
    assert.equal(sharedServersShape.read(setting, new Place(problems).child("sharedServers")), null);
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        '"sharedServers.ssh:build.web" must be true or false, got "yes".',
        '"sharedServers.ssh:other" must be an object, got true.',
      ],
    );
  });
});
