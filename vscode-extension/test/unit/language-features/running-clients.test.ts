import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { RunningClients, type WantedClient } from "../../../src/features/language-features/running-clients.js";

/** Clients that record what is done with them. A client's start ends when it is disposed or `starts` decides. */
class Clients {
  readonly done: string[] = [];
  starts: boolean | "never" = true;
  #made = 0;

  wanted(configuration: unknown = {}, ...languages: readonly string[]): WantedClient {
    return {
      languages,
      configuration,
      create: () => {
        const name = String(++this.#made);
        let stopped: (isServed: boolean) => void = () => undefined;
        const untilStopped = new Promise<boolean>((resolve) => (stopped = resolve));
        return {
          start: () => {
            this.done.push(`start ${name}`);
            return this.starts === "never" ? untilStopped : Promise.resolve(this.starts);
          },
          [Symbol.asyncDispose]: () => {
            this.done.push(`stop ${name}`);
            stopped(false);
            return Promise.resolve();
          },
        };
      },
    };
  }
}

describe("the language clients of a window", () => {
  it("keeps a client until its configuration changes or its folder is gone", async () => {
    const [clients, running] = [new Clients(), new RunningClients()];
    await running.follow(new Map([["a", clients.wanted({ options: 1 }, "go")]]));
    await running.follow(new Map([["a", clients.wanted({ options: 1 }, "go")]]));
    assert.deepEqual(clients.done, ["start 1"]);
    await running.follow(new Map([["a", clients.wanted({ options: 2 }, "go")]]));
    assert.deepEqual(clients.done, ["start 1", "stop 1", "start 2"]);
    assert.equal(running.serves("go"), true);
    await running.follow(new Map());
    assert.deepEqual(clients.done.slice(3), ["stop 2"]);
    assert.equal(running.serves("go"), false);
  });

  it("disposes a client without a language server and tries again", async () => {
    const [clients, running] = [new Clients(), new RunningClients()];
    const wanted = new Map([["a", clients.wanted({}, "go")]]);
    clients.starts = false;
    await running.follow(wanted);
    assert.equal(running.serves("go"), false);
    clients.starts = true;
    await running.follow(wanted);
    assert.deepEqual(clients.done, ["start 1", "stop 1", "start 2"]);
    assert.equal(running.serves("go"), true);
  });

  it("stops clients that are starting, all folders at once, and starts no others", async () => {
    const [clients, running] = [new Clients(), new RunningClients()];
    clients.starts = "never";
    const wanted = new Map(["a", "b"].map((folder) => [folder, clients.wanted()]));
    const following = running.follow(wanted);
    await setImmediate();
    await running[Symbol.asyncDispose]();
    await following;
    await running.follow(wanted);
    assert.deepEqual(clients.done, ["start 1", "start 2", "stop 1", "stop 2"]);
  });
});
