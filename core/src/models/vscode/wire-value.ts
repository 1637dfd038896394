import { asObject, type Members } from "../../base/rpc/json.js";

/** Invalid parameters; `message` names the member and the expected value. */
export class WireFault extends Error {
  override readonly name = "WireFault";
}

export class WireValue {
  constructor(
    readonly value: unknown,
    readonly path: string,
  ) {}

  /** Whether the value is missing or null. */
  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  get object(): Members {
    return asObject(this.value) ?? this.refuse("an object");
  }

  get text(): string {
    return typeof this.value === "string" ? this.value : this.refuse("a text");
  }

  get list(): readonly WireValue[] {
    if (!Array.isArray(this.value)) return this.refuse("a list");
    return this.value.map((item: unknown, index) => new WireValue(item, `${this.path}[${index}]`));
  }

  member(name: string): WireValue {
    return new WireValue(this.object[name], this.path === "" ? name : `${this.path}.${name}`);
  }

  choice<T extends string>(choices: readonly T[]): T {
    const chosen = choices.find((choice) => choice === this.value);
    return chosen ?? this.refuse(choices.map((choice) => `"${choice}"`).join(", "));
  }

  optional<T>(read: (value: WireValue) => T): T | undefined {
    return this.isAbsent ? undefined : read(this);
  }

  refuse(expected: string): never {
    throw new WireFault(`${this.path === "" ? "params" : this.path}: expected ${expected}, got ${this.#shown}.`);
  }

  /** Describes the value without possible secrets, since people paste errors into reports. */
  get #shown(): string {
    const { value, path } = this;
    if (Array.isArray(value)) return "a list";
    const object = asObject(value);
    if (object) return `an object with the members ${JSON.stringify(Object.keys(object).slice(0, 8))}`;
    if (typeof value === "string" && /\.(?:env|args)\b/.test(path)) return "a text";
    const shown = (JSON.stringify(value) as string | undefined) ?? "nothing";
    return shown.length > 80 ? `${shown.slice(0, 80)}…` : shown;
  }
}
