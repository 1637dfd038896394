import assert from "node:assert/strict";
import { commandLine, type NewerVersions, UpdateNotice } from "../../../src/features/updates/update-notice.js";

const day = 24 * 60 * 60_000;
const codex = { kind: "agent", id: "codex", name: "Codex", version: "1.0.0", newest: "1.1.0" } as const;
const spice = { kind: "extension", id: "spice", name: "Spice", version: "0.9.0", newest: "1.0.0" } as const;

function stage(answer?: string) {
  const stored = new Map<string, unknown>();
  const state = { isOn: true, now: 1_000 * day, newer: { outdated: [codex, spice] } as NewerVersions, looks: 0 };
  const done: string[] = [];
  const notice = new UpdateNotice({
    isOn: () => state.isOn,
    memory: {
      get: (key) => stored.get(key),
      update: (key, value) => Promise.resolve(void stored.set(key, structuredClone(value))),
    },
    now: () => state.now,
    newer: () => {
      state.looks++;
      return Promise.resolve(state.newer);
    },
    notify: (text, ...buttons) => {
      done.push(`${text} [${buttons.join("|")}]`);
      return Promise.resolve(answer);
    },
    update: (outdated) => Promise.resolve(void done.push(`update ${outdated.map(({ id }) => id).join(" ")}`)),
    turnOff: () => Promise.resolve(void done.push("off")),
  });
  return { notice, state, done, stored };
}

describe("the weekly look for newer versions", () => {
  const said = "Newer versions: Codex 1.0.0 → 1.1.0, Spice 0.9.0 → 1.0.0 [Update…|Don't Look]";

  it("happens once a week, and says the same versions once", async () => {
    const { notice, state, done } = stage();
    await notice.look();
    state.now += 6 * day;
    await notice.look();
    const inAWeek = state.looks;
    state.now += 2 * day;
    await notice.look();
    assert.deepEqual([inAWeek, state.looks, done], [1, 2, [said]]);
    state.newer = { outdated: [], command: "Symposium 1.0.0 → 2.0.0: update this extension" };
    state.now += 7 * day;
    await notice.look();
    assert.equal(done.at(-1), "Newer versions: Symposium 1.0.0 → 2.0.0: update this extension [Don't Look]");
  });

  it("says nothing where everything is the newest", async () => {
    const { notice, state, done } = stage();
    state.newer = { outdated: [] };
    await notice.look();
    assert.deepEqual([state.looks, done], [1, []]);
  });

  it("asks nobody while the setting is off", async () => {
    const { notice, state, stored } = stage();
    state.isOn = false;
    await notice.look();
    assert.deepEqual([state.looks, stored.size], [0, 0]);
  });

  it("updates and is switched off only by its buttons", async () => {
    const updating = stage("Update…");
    await updating.notice.look();
    const ending = stage("Don't Look");
    await ending.notice.look();
    assert.deepEqual(
      [updating.done, ending.done],
      [
        [said, "update codex spice"],
        [said, "off"],
      ],
    );
  });

  it("is made again where it failed, where the clock was set back, and where what was kept is unreadable", async () => {
    const { notice, state, stored } = stage();
    const failing = stage();
    Object.defineProperty(failing.state, "newer", {
      get: () => {
        throw new Error("offline");
      },
    });
    await assert.rejects(failing.notice.look(), /offline/);
    await assert.rejects(failing.notice.look(), /offline/);
    await notice.look();
    state.now -= 100 * day;
    await notice.look();
    stored.set(UpdateNotice.key, "?");
    await notice.look();
    assert.deepEqual([failing.state.looks, state.looks], [2, 3]);
  });
});

describe("what is newer than the command", () => {
  const chosen = (version: string) => ({ path: "/opt/agent", text: `symposium-acp-agent ${version}` });

  it("is an extension that the registry's list shows, or the command inside for one of the user's own", () => {
    const lines = [
      commandLine({ own: "1.0.0" }),
      commandLine({ own: "1.0.0", listed: "1.0.0" }),
      commandLine({ own: "1.0.0", listed: "1.1.0" }),
      commandLine({ own: "1.0.0", chosen: chosen("1.0.0") }),
      commandLine({ own: "1.0.0", chosen: chosen("0.9.0") }),
      commandLine({ own: "1.0.0", listed: "1.1.0", chosen: chosen("1.0.0") }),
      commandLine({ own: "1.0.0", chosen: { path: "/opt/agent", text: "?" } }),
    ];
    const update = "update /opt/agent where you got it from";
    assert.deepEqual(lines, [
      undefined,
      undefined,
      "Symposium 1.0.0 → 1.1.0: update this extension",
      undefined,
      `symposium-acp-agent 0.9.0 → 1.0.0: ${update}`,
      `symposium-acp-agent 1.0.0 → 1.1.0: ${update}`,
      undefined,
    ]);
  });
});
