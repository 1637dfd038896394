// How slow this machine is at the moment: limits of tests grow with it, so that a busy machine is slow and not red.
import { createHash } from "node:crypto";

/** Milliseconds of the work below on two calm cores of 2026. */
const referenceMs = 60;

/** At least 1; the median of five measurements. */
export function measureSlowness() {
  const bytes = Buffer.alloc(16 * 1024 * 1024, "s");
  const measured = Array.from({ length: 5 }, () => {
    const start = performance.now();
    createHash("sha256").update(bytes).digest();
    let sum = 0;
    for (let index = 0; index < 20_000_000; index++) sum = (sum + index) % 1_000_003;
    return performance.now() - start + sum * 0;
  }).sort((one, other) => one - other);
  return Math.max(1, Math.round((measured[2] / referenceMs) * 10) / 10);
}
