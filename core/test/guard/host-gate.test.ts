import assert from "node:assert/strict";
import type { GuardRule } from "../../src/guard/guard-rule.js";
import {
  type Admission,
  type HostAnswer,
  type HostChoice,
  type HostDecision,
  HostGate,
  type HostQuestion,
} from "../../src/guard/network/host-gate.js";
import { readAddress } from "../../src/guard/network/ip-address.js";
import { readAuthority, type Target, targetText } from "../../src/guard/network/target.js";

const target = (text: string): Target => readAuthority(text) ?? assert.fail(text);
const rule = (effect: GuardRule["effect"], ...patterns: readonly string[]): GuardRule => ({
  effect,
  subject: "host",
  patterns,
  place: `guard.jsonc:${patterns.join()}`,
});

/** A gate with everything that it is told and asks. */
function gateWith({
  rules = [],
  isBroken = false,
  registries = [],
  answers = [],
}: {
  readonly rules?: readonly GuardRule[];
  readonly isBroken?: boolean;
  readonly registries?: readonly string[];
  /** The user's answers, one per question; undefined if nobody can answer. */
  readonly answers?: readonly (HostChoice | undefined)[];
}) {
  const asked: HostQuestion[] = [];
  const decisions: HostDecision[] = [];
  const saved: string[] = [];
  const held = new Set<() => void>();
  let isHeld = false;
  const gate = new HostGate({
    hosts: {
      needed: ["model.example", "*.needed.example"],
      refused: ["telemetry.model.example"],
      atStart: ["forge.example"],
    },
    rules: () => Promise.resolve({ rules, isBroken }),
    registries: () => Promise.resolve(registries.map(target)),
    ask: async (question): Promise<HostAnswer | undefined> => {
      const choice = answers[asked.push(question) - 1];
      if (isHeld) await new Promise<void>((resolve) => held.add(resolve));
      return choice && { choice, session: "s" };
    },
    save: (targets, choice) => {
      saved.push(`${choice} ${targets.map(targetText).join()}`);
      return Promise.resolve();
    },
    record: (decision) => decisions.push(decision),
    isOwnAddress: (address) => address.join(".") === "9.9.9.9",
  });
  return {
    gate,
    saved,
    titles: () => asked.map(({ targets }) => targets.map(targetText).join()),
    records: () => decisions.map((one) => `${one.answer} ${targetText(one.target)} ${one.reason}`),
    hold: () => (isHeld = true),
    release: () => {
      isHeld = false;
      for (const resolve of held) resolve();
    },
    asked,
    admit: (text: string): Promise<Admission> => gate.admit(target(text)),
    isAllowed: async (text: string): Promise<boolean> => (await gate.admit(target(text))).isAllowed,
  };
}

async function reasonOf(admission: Promise<Admission>): Promise<string> {
  const answer = await admission;
  return answer.isAllowed ? "allowed" : answer.reason;
}

describe("the gate of a sandbox's network", () => {
  it("leaves an agent's look for updates out until the first turn, and asks about the same host then", async () => {
    const given = gateWith({ answers: ["session"] });
    assert.equal(await given.isAllowed("forge.example:443"), false);
    assert.equal(await given.isAllowed("forge.example:443"), false);
    given.gate.beginTurn();
    assert.deepEqual(given.titles(), []);
    assert.equal(await given.isAllowed("forge.example:443"), true);
    assert.deepEqual(given.titles(), ["forge.example:443"]);
    const late = gateWith({ answers: ["session"] });
    late.gate.beginTurn();
    assert.equal(await late.isAllowed("forge.example:443"), false, "the agent is slow to look");
    assert.equal(await late.isAllowed("forge.example:443"), true);
    const working = gateWith({ answers: ["session"] });
    working.gate.beginTurn();
    working.gate.callTool();
    assert.equal(await working.isAllowed("forge.example:443"), true, "a first clone is no look of the agent's");
    const ruled = gateWith({ rules: [rule("allow", "forge.example")] });
    assert.equal(await ruled.isAllowed("forge.example:443"), true);
  });

  it("lets an agent reach what it needs, and leaves out its telemetry, without a question", async () => {
    const given = gateWith({});
    assert.equal(await given.isAllowed("model.example:443"), true);
    assert.equal(await given.isAllowed("a.needed.example:443"), true);
    assert.match(await reasonOf(given.admit("telemetry.model.example:443")), /telemetry or updates/);
    await given.isAllowed("telemetry.model.example:443");
    assert.deepEqual(given.titles(), []);
    assert.deepEqual(given.records(), [
      "allow model.example:443 needed by the agent",
      "allow a.needed.example:443 needed by the agent",
      "deny telemetry.model.example:443 telemetry or updates",
    ]);
  });

  it("lets it reach that without a question where it is encrypted alone", async () => {
    const given = gateWith({});
    for (const port of [80, 22, 8443]) assert.equal(await given.isAllowed(`model.example:${port}`), false);
    assert.deepEqual(given.titles(), ["model.example:80", "model.example:22", "model.example:8443"]);
  });

  it("asks about ten hosts at a time, and refuses others until one of them is answered", async () => {
    const given = gateWith({ answers: [...Array<HostChoice>(10).fill("no"), "session"] });
    given.hold();
    const open = Array.from({ length: 10 }, (_, index) => given.admit(`h${index}.example:443`));
    assert.match(await reasonOf(given.admit("more.example:443")), /is already being asked about 10 others/);
    given.release();
    await Promise.all(open);
    assert.equal(await given.isAllowed("more.example:443"), true);
  });

  it("does not take another host for one that is needed", async () => {
    const given = gateWith({});
    const others = [
      "model.example.evil.test:443",
      "evilmodel.example:443",
      "needed.example:443",
      "xneeded.example:443",
    ];
    for (const other of others) assert.equal(await given.isAllowed(other), false, other);
    assert.deepEqual(given.titles(), others);
  });

  it("asks once for all who wait, and once a session", async () => {
    const given = gateWith({ answers: ["session"] });
    given.hold();
    const all = Promise.all(["api.example:443", "API.example.:443", "api.example:443"].map(given.isAllowed));
    while (given.titles().length === 0) await Promise.resolve();
    given.release();
    assert.deepEqual(await all, [true, true, true]);
    assert.equal(await given.isAllowed("api.example:443"), true);
    assert.deepEqual(given.titles(), ["api.example:443"]);
    given.gate.endSession("other");
    assert.equal(await given.isAllowed("api.example:443"), true);
    given.gate.endSession("s");
    assert.equal(await given.isAllowed("api.example:443"), false);
    assert.deepEqual(given.titles(), ["api.example:443", "api.example:443"]);
  });

  it("asks for each port by itself", async () => {
    const given = gateWith({ answers: ["session"] });
    assert.equal(await given.isAllowed("api.example:443"), true);
    assert.equal(await given.isAllowed("api.example:22"), false);
    assert.deepEqual(given.titles(), ["api.example:443", "api.example:22"]);
  });

  it("keeps a no for the turn, and asks again in the next one", async () => {
    const given = gateWith({ answers: ["no", "session"] });
    assert.match(
      await reasonOf(given.admit("api.example:443")),
      /refused by the user .*guard\.jsonc: \{"effect": "allow", "host": "api\.example:443"\}/,
    );
    assert.equal(await given.isAllowed("api.example:443"), false);
    assert.equal(given.titles().length, 1);
    given.gate.beginTurn();
    assert.equal(await given.isAllowed("api.example:443"), true);
  });

  it("makes rules of lasting answers", async () => {
    const given = gateWith({ answers: ["workspace", "always"] });
    await given.admit("one.example:443");
    await given.admit("two.example:8443");
    assert.deepEqual(given.saved, ["workspace one.example:443", "always two.example:8443"]);
  });

  it("refuses where nobody can be asked, and asks the next time", async () => {
    const given = gateWith({ answers: [undefined, "session"] });
    assert.match(await reasonOf(given.admit("api.example:443")), /nobody was there/);
    assert.equal(await given.isAllowed("api.example:443"), true);
  });

  it("asks once for all package registries of the user", async () => {
    const given = gateWith({ registries: ["registry.example:443", "index.example:443"], answers: ["session"] });
    assert.equal(await given.isAllowed("index.example:443"), true);
    assert.equal(await given.isAllowed("registry.example:443"), true);
    assert.deepEqual(given.titles(), ["registry.example:443,index.example:443"]);
    assert.equal(given.asked[0]?.isRegistries, true);
  });

  it("leaves out of that question what a rule says something about, and this machine", async () => {
    const given = gateWith({
      registries: ["registry.example:443", "index.example:443", "localhost:4873", "denied.example:443"],
      rules: [rule("ask", "index.example"), rule("deny", "denied.example")],
      answers: ["always", "no"],
    });
    assert.equal(await given.isAllowed("registry.example:443"), true);
    assert.equal(await given.isAllowed("index.example:443"), false);
    assert.deepEqual(given.titles(), ["registry.example:443", "index.example:443"]);
    assert.deepEqual(
      given.asked.map(({ isForUserAlone }) => isForUserAlone),
      [false, true],
    );
    assert.deepEqual(given.saved, ["always registry.example:443"]);
  });

  it("holds to rules: deny beats ask beats allow beats what the agent needs", async () => {
    const given = gateWith({
      rules: [
        rule("allow", "*.example", "model.example"),
        rule("ask", "asked.example"),
        rule("deny", "model.example", "denied.asked.example"),
        rule("ask", "denied.asked.example"),
      ],
      answers: ["session"],
    });
    assert.match(await reasonOf(given.admit("model.example:443")), /by a rule \(guard\.jsonc:model\.example/);
    assert.equal(await given.isAllowed("denied.asked.example:443"), false);
    assert.equal(await given.isAllowed("any.example:443"), true);
    assert.deepEqual(given.titles(), []);
    assert.equal(await given.isAllowed("asked.example:443"), true);
    assert.equal(given.asked[0]?.isForUserAlone, true);
  });

  it("asks about everything while the user's own rules cannot be read", async () => {
    const given = gateWith({ isBroken: true, answers: ["no", "session"] });
    assert.equal(await given.isAllowed("telemetry.model.example:443"), false);
    assert.equal(await given.isAllowed("model.example:443"), true);
    assert.equal(given.titles().length, 2);
  });

  it("reaches this machine, private networks and metadata only by a rule that names them", async () => {
    const places = [
      "127.0.0.1:80",
      "127.9.9.9:80",
      "localhost:80",
      "a.localhost:80",
      "[::1]:80",
      "10.0.0.1:80",
      "169.254.169.254:80",
      "[fd00:ec2::254]:80",
      "9.9.9.9:80",
      "0.0.0.0:80",
    ];
    const given = gateWith({ rules: [rule("allow", "*.0.0.1", "*.169.254", "localhost:81")] });
    for (const place of places)
      assert.match(await reasonOf(given.admit(place)), /reachable only if a rule names it/, place);
    assert.deepEqual(given.titles(), []);
    for (const place of ["localhost:81", "127.0.0.1:81", "[::1]:81"])
      assert.equal(await given.isAllowed(place), true, place);
    const named = gateWith({ rules: [rule("allow", "169.254.169.254", "10.0.0.1:80")] });
    assert.equal(await named.isAllowed("169.254.169.254:80"), true);
    assert.equal(await named.isAllowed("10.0.0.1:80"), true);
    assert.equal(await named.isAllowed("10.0.0.1:81"), false);
  });

  it("does not let an allowed name lead to this machine, a private network or a denied address", async () => {
    const given = gateWith({ rules: [rule("allow", "api.example", "10.0.0.7:443"), rule("deny", "8.8.8.8")] });
    const admission = await given.admit("api.example:443");
    assert.ok(admission.isAllowed);
    const isRefused = (text: string): boolean =>
      admission.refusalOf(readAddress(text) ?? assert.fail(text)) !== undefined;
    assert.deepEqual(
      ["127.0.0.1", "::1", "10.0.0.1", "169.254.169.254", "::ffff:127.0.0.1", "9.9.9.9", "8.8.8.8"].map(isRefused),
      [true, true, true, true, true, true, true],
    );
    assert.deepEqual(["1.1.1.1", "2606:4700::1111", "10.0.0.7"].map(isRefused), [false, false, false]);
  });
});
