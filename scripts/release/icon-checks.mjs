// The registry's rules for icons: well-formed, 16 by 16, and no colour but that of the text around it.

const colours = new Set(["currentcolor", "none", "inherit"]);
const paints = /^(?:fill|stroke)$/;

/** Returns the registry's objections to the SVG `text`, one sentence each. */
export function iconProblems(text) {
  if (text.includes("<!--")) return ["The icon has a comment."];
  const { elements, problem } = elementsOf(text);
  if (problem !== undefined) return [problem];
  const [svg] = elements;
  if (svg?.name !== "svg") return ["The icon's root is no <svg>."];
  const painted = elements.flatMap(({ attributes }) => paintsOf(attributes)).concat(paintsOfSheets(text));
  const wrong = painted.filter((colour) => !colours.has(colour.toLowerCase()));
  return [
    ...(isSixteen(svg.attributes) ? [] : ["The icon is not 16 by 16."]),
    ...wrong.map((colour) => `The icon is painted in ${colour}; only currentColor, none and inherit are allowed.`),
    ...(painted.some((colour) => colour.toLowerCase() === "currentcolor")
      ? []
      : ["Nothing of the icon has currentColor."]),
  ];
}

function isSixteen({ width, height, viewBox }) {
  if (width !== undefined || height !== undefined) return sizeOf(width) === 16 && sizeOf(height) === 16;
  const [, , boxWidth, boxHeight] = (viewBox ?? "")
    .trim()
    .split(/[\s,]+/)
    .map(Number);
  return boxWidth === 16 && boxHeight === 16;
}

function sizeOf(value) {
  return Number((value ?? "").replace(/px$/, ""));
}

function paintsOf(attributes) {
  const direct = Object.entries(attributes).flatMap(([name, value]) => (paints.test(name) ? [value.trim()] : []));
  return [...direct, ...declared(attributes.style ?? "")];
}

function paintsOfSheets(text) {
  return [...text.matchAll(/<style[^>]*>([^<]*)<\/style>/g)].flatMap(([, sheet]) =>
    [...sheet.matchAll(/\{([^}]*)\}/g)].flatMap(([, declarations]) => declared(declarations)),
  );
}

function declared(declarations) {
  return declarations.split(";").flatMap((declaration) => {
    const [property = "", value = ""] = declaration.split(":");
    return paints.test(property.trim()) ? [value.trim()] : [];
  });
}

/** The elements in document order, or why the text is no XML. */
function elementsOf(text) {
  const elements = [];
  const open = [];
  let hasRoot = false;
  const tag =
    /<\?[^?]*\?>|<\/([\w:.-]+)\s*>|<([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|[^<]+/gy;
  let end = 0;
  for (const [whole, closed, name, attributes, isEmpty] of text.matchAll(tag)) {
    end += whole.length;
    if (closed !== undefined) {
      if (open.pop() !== closed) return { elements, problem: `</${closed}> closes nothing.` };
    } else if (name !== undefined) {
      if (open.length === 0 && hasRoot) return { elements, problem: "The icon has two roots." };
      hasRoot = true;
      elements.push({ name, attributes: attributesOf(attributes) });
      if (isEmpty === "") open.push(name);
    } else if (!whole.startsWith("<?") && open.length === 0 && whole.trim() !== "") {
      return { elements, problem: "Text stands outside the icon's root." };
    }
  }
  if (end < text.length) return { elements, problem: `The icon is no XML: ${text.slice(end, end + 40)}` };
  return open.length === 0 ? { elements } : { elements, problem: `<${open.at(-1)}> is not closed.` };
}

function attributesOf(text) {
  const pairs = [...text.matchAll(/([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g)];
  return Object.fromEntries(pairs.map(([, name, double, single]) => [name, double ?? single]));
}
