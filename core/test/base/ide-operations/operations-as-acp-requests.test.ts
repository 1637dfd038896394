import assert from "node:assert/strict";
import { SymposiumError } from "../../../src/base/symposium-error.js";
import {
  announcedIdeOperations,
  ideOperationsCapability,
  withIdeOperations,
} from "../../../src/base/ide-operations/capability.js";
import {
  type IdeOperationHandlers,
  type IdeOperations,
  operationsOf,
} from "../../../src/base/ide-operations/ide-operations.js";
import { ready } from "../../../src/base/ide-operations/operation-state.js";
import { ideRequestHandlers } from "../../../src/base/ide-operations/serving.js";
import { upstreamIdeOperations } from "../../../src/base/ide-operations/operations-as-acp-requests.js";
import { ideOperationMethod, ideOperationNames } from "../../../src/base/ide-operations/wire.js";
import { Json } from "../../../src/base/rpc/json.js";
import { Outcome, Request } from "../../../src/base/rpc/message.js";
import { ask, nothingToCancel, type Peer } from "../../../src/base/rpc/peer.js";
import { RpcError } from "../../../src/base/rpc/rpc-error.js";

const workspace = "file:///w";
const place = { uri: "file:///w/a.rs", position: { line: 0, character: 4 } };
const never = new AbortController().signal;
const everything = new Set(ideOperationNames);

/** A peer that answers as an editor with these operations; notes the workspaces it is asked for. */
function editor(handlers: IdeOperationHandlers, workspaces: string[] = []): Peer {
  const requests = ideRequestHandlers((uri) => {
    workspaces.push(uri);
    return operationsOf(handlers);
  });
  return {
    request: (request, reply) => requests[request.method]?.(request, reply) ?? nothingToCancel,
    notify: () => undefined,
  };
}

function over(peer: Peer, timeoutMs = 60_000): IdeOperations {
  return upstreamIdeOperations({ peer, workspace, supported: everything, timeoutMs });
}

async function failureOf(
  promise: Promise<unknown>,
): Promise<[code: string, message: string, hint: string | undefined]> {
  try {
    await promise;
  } catch (fault) {
    if (fault instanceof SymposiumError) return [fault.code, fault.message, fault.hint];
    throw fault;
  }
  throw new Error("it did not fail");
}

describe("IDE operations over a peer", () => {
  it("reach the editor with the workspace, and come back typed", async () => {
    const workspaces: string[] = [];
    const asked: unknown[] = [];
    const hover = { state: ready, text: "fn area()" };
    const peer = editor({ hover: (params) => (asked.push(params), Promise.resolve(hover)) }, workspaces);
    assert.deepEqual([await over(peer).run("hover", place, never), workspaces, asked], [hover, [workspace], [place]]);
  });

  it("are not asked for where the editor does not offer them", async () => {
    const ide = upstreamIdeOperations({ peer: editor({}), workspace, supported: new Set(["definition"]) });
    const [code, message] = await failureOf(ide.run("hover", place, never));
    assert.deepEqual([code, message], ["ide-operation-failed", `The editor does not offer "hover".`]);
  });

  it("fail with the editor's words and remedy", async () => {
    const failing = () =>
      Promise.reject(new SymposiumError("ide-operation-failed", "The server is gone.", "Start it."));
    const failure = await failureOf(over(editor({ hover: failing })).run("hover", place, never));
    assert.deepEqual(failure, ["ide-operation-failed", '"hover" failed: The server is gone.', "Start it."]);
  });

  it("fail where the answer has another form, and say where", async () => {
    const peer: Peer = {
      request: (_, reply) => (reply(Outcome.of({ state: { kind: "fine" }, text: null })), nothingToCancel),
      notify: () => undefined,
    };
    const [, message] = await failureOf(over(peer).run("hover", place, never));
    assert.match(message, /state\.kind: expected one of ready, loading, degraded/);
  });

  it("end at once when the caller gives up, and tell the editor", async () => {
    let isTold = false;
    const peer: Peer = { request: () => () => (isTold = true), notify: () => undefined };
    const caller = new AbortController();
    const asked = failureOf(over(peer).run("hover", place, caller.signal));
    caller.abort();
    assert.deepEqual([(await asked)[0], isTold], ["cancelled", true]);
  });

  it("end when no answer comes", async () => {
    let isTold = false;
    const peer: Peer = { request: () => () => (isTold = true), notify: () => undefined };
    const [code, message] = await failureOf(over(peer, 1).run("hover", place, never));
    assert.deepEqual(
      [code, message, isTold],
      ["ide-operation-failed", '"hover" failed: no answer within 0.001 s', true],
    );
  });

  it("ask nothing for a caller that has given up", async () => {
    const peer: Peer = { request: () => assert.fail("it asked"), notify: () => undefined };
    const caller = new AbortController();
    caller.abort();
    assert.equal((await failureOf(over(peer).run("hover", place, caller.signal)))[0], "cancelled");
  });
});

describe("serving IDE operations", () => {
  const answer = (params: unknown, handlers: IdeOperationHandlers = {}): Promise<Outcome> =>
    ask(editor(handlers), Request.of(ideOperationMethod("hover"), params));

  it("refuses parameters that are not of the operation, and names the fault", async () => {
    const outcomes = await Promise.all([answer({ ...place }), answer({ workspace, uri: place.uri })]);
    assert.deepEqual(
      outcomes.map(({ json }) => json.object?.["message"]),
      [
        'Invalid params: workspace: expected the URI of a folder, such as "file:///project".',
        "Invalid params: position: expected an object.",
      ],
    );
  });

  it("answers a cancelled request as cancelled", async () => {
    const hover = (_: unknown, signal: AbortSignal): Promise<never> =>
      new Promise((_resolve, reject) =>
        signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
      );
    const caller = new AbortController();
    const asked = ask(
      editor({ hover }),
      Request.of(ideOperationMethod("hover"), { workspace, ...place }),
      caller.signal,
    );
    await Promise.resolve();
    caller.abort();
    assert.deepEqual((await asked).json.value, RpcError.cancelled().json.value);
  });
});

describe("the capability for IDE operations", () => {
  it("is announced below _meta, beside what stands there", () => {
    const params = Json.ofText('{"clientCapabilities":{"_meta":{"other":1.0},"terminal":true}}');
    const announced = withIdeOperations(params, ["hover"]);
    assert.equal(
      announced.text,
      '{"clientCapabilities":{"_meta":{"symposium/ideOperations":{"version":1,"operations":["hover"]},"other":1.0},"terminal":true}}',
    );
    assert.deepEqual(announcedIdeOperations(announced.value), new Set(["hover"]));
  });

  it("may name operations of later versions, which are not asked for", () => {
    const capability = { ...ideOperationsCapability(["hover"]), version: 2, operations: ["hover", "inlayHints", 7] };
    const params = { clientCapabilities: { _meta: { "symposium/ideOperations": capability } } };
    assert.deepEqual(announcedIdeOperations(params), new Set(["hover"]));
  });

  it("is absent in everything else", () => {
    const values = [undefined, null, {}, { clientCapabilities: { _meta: { "symposium/ideOperations": true } } }];
    assert.deepEqual(
      values.map(announcedIdeOperations),
      values.map(() => undefined),
    );
  });
});
