import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  agentOptions,
  editRequest,
  type PermissionFixture,
  runRequest,
  withPermissions,
} from "./permission-fixture.js";
import { parsePermissionRequest } from "../../../src/features/permissions/permission-request.js";
import { subjectOf } from "../../../src/features/permissions/permission-subject.js";
import type { RecordingSession } from "./recording-session.js";

describe("an answer that outlives its session", () => {
  let folder: string;
  let fixture: PermissionFixture;
  let session: RecordingSession;

  withPermissions((place) => ({ folder, fixture, session } = place));

  const remember = (params: unknown, scope?: "session" | "workspace" | "always"): Promise<void> =>
    fixture.remember(session, params, scope);
  const isAllowed = (params: unknown): Promise<boolean> => fixture.isAllowed(session, params);

  it("binds the agent and the kind of tool", async () => {
    const path = join(folder, "src/a.ts");
    await remember(editRequest(path), "always");
    const toolCall = { toolCallId: "call", title: "Delete", kind: "delete", locations: [{ path }] };
    const deletes = await isAllowed({ sessionId: "session-1", toolCall, options: agentOptions });
    fixture.names.set("scripted", "another");
    const another = await isAllowed(editRequest(path));
    fixture.names.set("scripted", "scripted-agent");
    assert.deepEqual([deletes, another, await isAllowed(editRequest(path))], [false, false, true]);
  });

  it("is one of guard.jsonc where it outlives its session, for this workspace or for all", async () => {
    await remember(runRequest("npm test"), "workspace");
    await remember(runRequest("make a > b"), "always");
    await remember(runRequest("git status"), "session");
    const bounds = { kind: "execute", agent: "scripted-agent" };
    assert.deepEqual(await fixture.rules(), [
      { effect: "allow", command: "npm test", ...bounds, in: folder },
      { effect: "allow", command: "make a > b", exact: true, cwd: folder, ...bounds },
    ]);
    assert.equal(fixture.remembered.inSessions.length, 1);
    fixture.permissions.sessionEnded("session-1");
    assert.deepEqual(
      [await isAllowed(runRequest("npm test")), await isAllowed(runRequest("make a > b"))],
      [true, true],
    );
    assert.equal(await isAllowed(runRequest("git status")), false);
  });

  it("holds for the session alone where guard.jsonc cannot be written, which the user is told", async () => {
    await mkdir(fixture.config);
    const broken = '{ "rules": [{ "effect": "never" }] // mine\n}';
    await writeFile(fixture.guardFile, broken);
    await remember(runRequest("npm test"), "always");
    assert.equal(await isAllowed(runRequest("npm test")), true);
    assert.match(
      fixture.said.join("\n"),
      /^Your answer applies only to this session because guard\.jsonc was not changed: .*"effect" is "never"/,
    );
    assert.equal(await readFile(fixture.guardFile, "utf8"), broken);
  });

  it("is offered beyond the session where guard.jsonc can say it, and would answer the same request", async () => {
    void fixture.ask(session, runRequest("npm test"));
    await session.until(() => session.itemsOf("permission").find(({ canLast }) => canLast));
    const canLast = async (params: unknown): Promise<boolean> => {
      const request = parsePermissionRequest(params, session);
      const proposed = await fixture.remembered.proposed(await subjectOf(request, session), request, session);
      return proposed !== undefined && (await fixture.remembered.canLast(proposed, session));
    };
    const outside = join(tmpdir(), "elsewhere.txt");
    const unclear = { toolCall: { toolCallId: "call", title: "Think", kind: "think" }, options: agentOptions };
    const given = [runRequest("make | sh"), editRequest("src/a.ts"), editRequest(outside), editRequest(".env")];
    const others = [runRequest("make", { env: { A: "b" } }), runRequest("make", { cwd: "/" }), unclear];
    assert.deepEqual(await Promise.all(given.map(canLast)), [true, true, true, true]);
    assert.deepEqual(await Promise.all(others.map(canLast)), [false, false, false]);
    fixture.names.clear();
    assert.equal(await canLast(runRequest("npm test")), false);
  });

  it("answers no question of Symposium itself, whose answers say what lasts", async () => {
    await remember(runRequest("npm test"), "always");
    const own = { ...(runRequest("npm test") as object), _meta: { "symposium/ownAnswers": true } };
    assert.deepEqual([await isAllowed(runRequest("npm test")), await isAllowed(own)], [true, false]);
  });

  it("of a user's own denial or question is none that an answer lifts", async () => {
    await remember(runRequest("npm test"), "always");
    assert.equal(await isAllowed(runRequest("npm test")), true);
    const text = await readFile(fixture.guardFile, "utf8");
    await writeFile(fixture.guardFile, text.replace("[", '[{ "effect": "ask", "command": "npm" },'));
    assert.equal(await isAllowed(runRequest("npm test")), false);
  });
});
