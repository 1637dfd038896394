import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGib: number;
  readonly platform: string;
  readonly node: string;
  /** Of one, five and fifteen minutes. */
  readonly load: readonly number[];
}

/** Returns this machine's current properties. `load` shows how busy it is otherwise. */
export function thisMachine(): Machine {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? "unknown",
    memoryGib: totalmem() / 2 ** 30,
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
    load: loadavg(),
  };
}

export function describeMachine(machine: Machine): string {
  const { cores, processor, memoryGib, platform, node, load } = machine;
  const loads = load.map((value) => value.toFixed(2)).join(" ");
  return `${cores} cores (${processor}), ${memoryGib.toFixed(0)} GiB, ${platform}, Node ${node}, load average ${loads}`;
}
