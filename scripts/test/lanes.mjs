// Parts of the tests side by side.

/**
 * Runs `parts` in their order, at most `count` at once, and never two at once that use the same thing. `run` must not reject.
 */
export async function runInLanes(parts, count, run) {
  const waiting = [...parts];
  const inUse = new Set();
  const running = new Set();
  const startNext = () => {
    while (running.size < count) {
      const index = waiting.findIndex(({ uses }) => uses === undefined || !inUse.has(uses));
      if (index === -1) return;
      const [part] = waiting.splice(index, 1);
      if (part.uses !== undefined) inUse.add(part.uses);
      const done = run(part).then(() => {
        inUse.delete(part.uses);
        running.delete(done);
      });
      running.add(done);
    }
  };
  for (startNext(); running.size > 0; startNext()) await Promise.race(running);
}
