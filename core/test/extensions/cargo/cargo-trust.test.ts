import assert from "node:assert/strict";
import { Outcome } from "../../../src/base/rpc/message.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";
import { scriptedClient, type ScriptedClientOptions } from "../../../testing/scripted-client.js";
import { FolderTrust } from "../../../src/settings/trust/folder-trust.js";
import { Machine, type Stage, stage } from "./cargo-stage.js";

describe("cargo in a folder that nobody has trusted", () => {
  /** A machine on which nobody has trusted anything, and an editor whose user answers like this. */
  function distrusting(permits?: ScriptedClientOptions["permits"]): {
    readonly machine: Machine;
    readonly call: Stage["call"];
    readonly kept: string[];
    readonly questions: () => unknown[];
  } {
    const kept: string[] = [];
    const trust = new FolderTrust({
      realPath: (folder) => Promise.resolve(folder),
      has: (folder) => Promise.resolve(kept.includes(folder)),
      add: (folder) => Promise.resolve(void kept.push(folder)),
      isRefused: () => Promise.resolve(false),
      refuse: () => Promise.resolve(),
    });
    const client = permits === undefined ? undefined : scriptedClient({ permits });
    const machine = new Machine();
    const { call } = stage(machine, {}, trust, client ?? scriptedClient({ answers: { [permission]: refusal } }));
    const asked = (): unknown[] => client?.received.filter(({ method }) => method === permission) ?? [];
    return { machine, call, kept, questions: asked };
  }

  const permission = "session/request_permission";
  const refusal = Outcome.error(RpcError.methodNotFound(permission));

  for (const [permits, isKept] of [
    ["allow_always", true],
    ["allow_once", false],
  ] as const) {
    it(`asks once whether the folder is trusted before cargo runs, and takes ${permits} for ${isKept ? "good" : "now"}`, async () => {
      const { machine, call, kept, questions } = distrusting(permits);
      await Promise.all([call("cargo_check"), call("cargo_test")]);
      const { text } = await call("cargo_check");
      assert.deepEqual([questions().length, kept, text], [1, isKept ? ["/w"] : [], "cargo check: exit 0, 0.1 s [c3]"]);
      assert.ok(machine.commands.length > 0);
    });
  }

  for (const [what, permits] of [
    ["who says no", "reject_once"],
    ["where nobody can be asked", undefined],
  ] as const) {
    it(`starts no cargo for a user ${what}, and names what trusts the folder`, async () => {
      const { machine, call, questions } = distrusting(permits);
      const answers = [await call("cargo_fmt_check"), await call("cargo_run")];
      assert.deepEqual(machine.commands, []);
      assert.equal(questions().length, permits === undefined ? 0 : 1);
      for (const { text, isError } of answers) {
        assert.equal(isError, true);
        assert.match(text, /The folder \/w is not trusted, so nothing was run\./);
        assert.match(text, /`symposium-acp-agent trust \/w`/);
      }
    });
  }
});
