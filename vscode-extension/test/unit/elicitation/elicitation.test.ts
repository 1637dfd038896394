import assert from "node:assert/strict";
import { Logger } from "@symposium-dev/core";
import type { ItemOf } from "../../../protocol/index.js";
import { Elicitation } from "../../../src/features/elicitation/elicitation.js";
import { WaitingRequests } from "../../../src/features/permissions/waiting-requests.js";
import { RecordingSession } from "../permissions/recording-session.js";

const requestedSchema = {
  type: "object",
  properties: { name: { type: "string", minLength: 2 }, age: { type: "integer" } },
  required: ["name"],
};
const form = { sessionId: "session-1", mode: "form", message: "Who are you?", requestedSchema };
const link = { mode: "url", message: "Sign in", url: "https://exämple.com/in?a=1", elicitationId: "e1" };

describe("elicitation", () => {
  let session: RecordingSession;
  let elicitation: Elicitation;
  let opened: string[];
  let isOpenable: boolean;

  beforeEach(() => {
    session = new RecordingSession(["/work"]);
    opened = [];
    isOpenable = true;
    elicitation = new Elicitation({
      waiting: new WaitingRequests(),
      logger: Logger.silent,
      openUrl: (url) => {
        opened.push(url);
        return Promise.resolve(isOpenable);
      },
    });
  });

  const ask = (params: unknown, signal?: AbortSignal): Promise<unknown> =>
    elicitation.requests["elicitation/create"](session.call(params, signal));
  const card = (): ItemOf<"elicitation"> => {
    const [first] = session.itemsOf("elicitation");
    assert.ok(first);
    return first;
  };

  it("shows the form as it came and sends what the user filled in", async () => {
    const answer = ask(form);
    const { id, ...shown } = card();
    assert.deepEqual(shown, { kind: "elicitation", message: "Who are you?", mode: "form", schema: requestedSchema });
    assert.equal(session.transcript.state.waiting, 1);
    await elicitation.respond({ id, action: "accept", content: { name: "Ada", age: 36 } });
    assert.deepEqual(await answer, { action: "accept", content: { name: "Ada", age: 36 } });
    assert.deepEqual(card().answer, { action: "accept", summary: "Sent: name, age", fields: ["name", "age"] });
    assert.equal(session.transcript.state.waiting, 0);
  });

  it("keeps nothing of secrets: neither what the form proposes nor what was filled in", async () => {
    const properties = {
      token: { type: "string", default: "proposed-1", _meta: { codex: { isSecret: true } } },
      password: { type: "string", default: "proposed-2", format: "password" },
      user: { type: "string", default: "ada" },
    };
    const answer = ask({ ...form, requestedSchema: { type: "object", properties } });
    await elicitation.respond({ id: card().id, action: "accept", content: { token: "filled-in", user: "ada" } });
    assert.deepEqual(await answer, { action: "accept", content: { token: "filled-in", user: "ada" } });
    const kept = JSON.stringify(session.transcript);
    assert.doesNotMatch(kept, /proposed-|filled-in/);
    assert.match(kept, /"default":"ada"/);
  });

  it("keeps a form open whose answers do not fit, and says why", async () => {
    void ask(form);
    await elicitation.respond({ id: card().id, action: "accept", content: { name: "A", age: 1.5 } });
    assert.deepEqual(card().problems, {
      name: "Enter at least 2 characters.",
      age: "Enter a whole number.",
    });
    assert.equal(card().answer, undefined);
  });

  for (const action of ["decline", "cancel"] as const) {
    it(`answers with ${action}`, async () => {
      const answer = ask(form);
      await elicitation.respond({ id: card().id, action });
      assert.deepEqual(await answer, { action });
    });
  }

  it("shows where an address really leads, opens it, and says when it is done", async () => {
    const answer = ask(link);
    assert.equal(card().url, "https://xn--exmple-cua.com/in?a=1");
    await elicitation.respond({ id: card().id, action: "accept" });
    assert.deepEqual([await answer, opened], [{ action: "accept" }, ["https://xn--exmple-cua.com/in?a=1"]]);
    elicitation.notifications["elicitation/complete"](session.call({ elicitationId: "e1" }));
    assert.deepEqual(card().answer, { action: "accept", summary: "Done" });
  });

  it("stays open when the user does not let the editor open the address", async () => {
    isOpenable = false;
    void ask(link);
    await elicitation.respond({ id: card().id, action: "accept" });
    assert.equal(card().answer, undefined);
  });

  it("does not open an address of another kind", async () => {
    const answer = ask({ ...link, url: "command:workbench.action.terminal.new" });
    await elicitation.respond({ id: card().id, action: "accept" });
    assert.deepEqual([await answer, opened], [{ action: "decline" }, []]);
  });

  it("is cancelled when the agent gives up and when the session ends", async () => {
    const controller = new AbortController();
    const answers = [ask(form, controller.signal), ask(link)];
    controller.abort();
    elicitation.sessionEnded("session-1");
    assert.deepEqual(await Promise.all(answers), [{ action: "cancel" }, { action: "cancel" }]);
  });

  it("refuses a mode it does not know", async () => {
    await assert.rejects(ask({ mode: "_dance", message: "x" }), {
      message: "Invalid params: an elicitation must be a form with a schema or a url with an id",
    });
  });
});
