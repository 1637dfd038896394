import * as l10n from "@vscode/l10n";
import { html, nothing, type TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { type Field, type FieldChoice, type FormValues, valueOf } from "./elicitation-schema-fields.js";
import { visibleText } from "./visible-text.js";

interface FieldOptions {
  /** Prefix for the ids of the field's parts. Unique in the page. */
  readonly id: string;
  readonly values: FormValues;
  readonly problem: string | undefined;
  readonly change: (value: string | boolean | readonly string[]) => void;
}

const inputTypes = { email: "email", uri: "url", date: "date", "date-time": "datetime-local" } as const;

/** Maximum number of choices shown inline; more are shown in a drop-down list. */
const shownChoices = 5;

function isShown(choices: readonly FieldChoice[]): boolean {
  return choices.length <= shownChoices || choices.some(({ preview }) => preview !== undefined);
}

export function elicitationField(field: Field, options: FieldOptions): TemplateResult {
  const { id, problem } = options;
  const notes = html`${
    field.description === ""
      ? nothing
      : html`<div class="control-note" id="${id}-note">${visibleText(field.description)}</div>`
  }
  ${problem === undefined ? nothing : html`<div class="control-error" id="${id}-problem">${problem}</div>`}`;
  const label = html`${visibleText(field.label)}${field.isRequired ? html`<span aria-hidden="true"> *</span>` : nothing}`;
  if (field.type === "boolean") {
    return html`<div class="card-field card-check">
      ${checkbox(field, options)}
      <div><label for=${id}>${label}</label>${notes}</div>
    </div>`;
  }
  if (field.type === "choices" || (field.type === "choice" && isShown(field.choices))) {
    return html`<fieldset class="card-field" aria-describedby=${describedBy(field, options)}>
      <legend>${label}</legend>
      ${notes} ${field.type === "choices" ? checkboxes(field, options) : radios(field, options)}
    </fieldset>`;
  }
  return html`<div class="card-field"><label for=${id}>${label}</label>${control(field, options)}${notes}</div>`;
}

function nothingChosen({ isRequired }: Field): string {
  return isRequired ? l10n.t("Choose one") : l10n.t("No answer");
}

function control(field: Field, options: FieldOptions): TemplateResult {
  const { id, problem, values, change } = options;
  const value = valueOf(field, values);
  const onInput = (event: Event): void => {
    const { target } = event;
    if (
      target instanceof HTMLInputElement ||
      target instanceof HTMLTextAreaElement ||
      target instanceof HTMLSelectElement
    ) {
      change(target.value);
    }
  };
  const isInvalid = problem === undefined ? nothing : "true";
  const describes = describedBy(field, options);
  const required = field.isRequired ? "true" : nothing;
  if (field.type === "choice") {
    return html`<select
      class="control-select"
      id=${id}
      aria-required=${required}
      aria-invalid=${isInvalid}
      aria-describedby=${describes}
      @change=${onInput}
    >
      <option value="" ?selected=${value === ""}>${nothingChosen(field)}</option>
      ${field.choices.map(
        (choice) => html`<option value=${choice.value} ?selected=${choice.value === value}>${choice.name}</option>`,
      )}
    </select>`;
  }
  const format = field.type === "text" ? field.format : undefined;
  const isSecret = field.type === "text" && field.isSecret;
  if (field.type === "number" || format !== undefined || isSecret) {
    return html`<input
      class="control-input"
      id=${id}
      type=${isSecret ? "password" : format === undefined ? "text" : inputTypes[format]}
      autocomplete=${isSecret ? "off" : nothing}
      spellcheck=${isSecret ? "false" : nothing}
      inputmode=${field.type === "number" ? "decimal" : nothing}
      aria-required=${required}
      aria-invalid=${isInvalid}
      aria-describedby=${describes}
      .value=${live(String(value))}
      @input=${onInput}
    />`;
  }
  return html`<textarea
    class="control-input card-text"
    id=${id}
    dir="auto"
    rows="1"
    aria-required=${required}
    aria-invalid=${isInvalid}
    aria-describedby=${describes}
    .value=${live(String(value))}
    @input=${onInput}
  ></textarea>`;
}

function checkbox(field: Field, options: FieldOptions): TemplateResult {
  return html`<input
    class="control-check"
    type="checkbox"
    id=${options.id}
    aria-describedby=${describedBy(field, options)}
    .checked=${live(valueOf(field, options.values) === true)}
    @change=${(event: Event) => options.change(event.target instanceof HTMLInputElement && event.target.checked)}
  />`;
}

function checkboxes(
  field: Extract<Field, { type: "choices" }>,
  { id, values, change }: FieldOptions,
): TemplateResult[] {
  const value = valueOf(field, values);
  const chosen = typeof value === "object" ? value : [];
  return field.choices.map((choice, index) => {
    const toggle = (): void =>
      change(
        chosen.includes(choice.value)
          ? chosen.filter((one) => one !== choice.value)
          : inOrder(field.choices, [...chosen, choice.value]),
      );
    return choiceRow(
      choice,
      html`<input
        class="control-check"
        type="checkbox"
        id="${id}-${index}"
        .checked=${live(chosen.includes(choice.value))}
        @change=${toggle}
      />`,
      `${id}-${index}`,
    );
  });
}

function radios(field: Extract<Field, { type: "choice" }>, { id, values, change }: FieldOptions): TemplateResult[] {
  const value = valueOf(field, values);
  const choices: readonly FieldChoice[] = field.isRequired
    ? field.choices
    : [...field.choices, { value: "", name: l10n.t("No answer") }];
  return choices.map((choice, index) =>
    choiceRow(
      choice,
      html`<input
        class="control-check"
        type="radio"
        name=${id}
        id="${id}-${index}"
        .checked=${live(choice.value === value)}
        @change=${() => change(choice.value)}
      />`,
      `${id}-${index}`,
    ),
  );
}

function choiceRow({ name, description, preview }: FieldChoice, input: TemplateResult, id: string): TemplateResult {
  return html`<div class="card-check">
      ${input}
      <label for=${id}
        >${visibleText(name)}${description === undefined ? nothing : html` <span class="control-note">${visibleText(description)}</span>`}</label
      >
    </div>
    ${
      preview === undefined
        ? nothing
        : html`<pre class="card-preview" tabindex="0" aria-label=${l10n.t("Preview: {0}", name)}>
${visibleText(preview)}</pre>`
    }`;
}

function inOrder(choices: readonly FieldChoice[], values: readonly string[]): string[] {
  return choices.map(({ value }) => value).filter((value) => values.includes(value));
}

function describedBy({ description }: Field, { id, problem }: FieldOptions): string | typeof nothing {
  const ids = [description === "" ? "" : `${id}-note`, problem === undefined ? "" : `${id}-problem`].filter(Boolean);
  return ids.length === 0 ? nothing : ids.join(" ");
}
