import assert from "node:assert/strict";
import { scriptedClient } from "@symposium-dev/core/testing";
import type { RawClient } from "../support/raw-client.js";
import type { Requirement } from "./requirement.js";

/** Checks one requirement with a client that knows of nothing before; resolves with the texts to compare. */
export async function observe(
  { check }: Pick<Requirement, "check">,
  client: RawClient,
): Promise<readonly string[] | undefined> {
  client.peer = scriptedClient();
  client.faults.length = 0;
  const ended = client.child.exited.then((how) => Promise.reject(new Error(`${how}. ${client.child.stderrTail}`)));
  const observed = await Promise.race([check(client), ended]);
  assert.deepEqual(client.faults, []);
  return observed;
}
