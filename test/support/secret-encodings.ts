/** Ways in which an upstream may write a secret that it was sent, escape by escape. */
export function escapesOf(secret: string): readonly string[] {
  const hex = Buffer.from(secret).toString("hex");
  return [
    hex,
    hex.toUpperCase(),
    percentAll(secret),
    percentAll(percentAll(secret)),
    entitiesOf(secret),
    unitsOf(secret),
  ];
}

/** All of them that are looked for; base64 wherever the secret may stand in what was encoded. */
export function encodingsOf(secret: string): readonly string[] {
  const shifted = ["", "x", "xx"].map((before) =>
    // Without the ends, in which other bytes may be.
    Buffer.from(before + secret)
      .toString("base64")
      .slice(before === "" ? 0 : 4, -4),
  );
  const base64 = shifted.flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")]);
  const json = JSON.stringify(secret).slice(1, -1);
  const escaped = [json, json.replaceAll("/", String.raw`\/`), JSON.stringify(json).slice(1, -1)];
  return [...new Set([secret, encodeURIComponent(secret), ...escaped, ...base64, ...escapesOf(secret)])];
}

/** Every character as an HTML entity. */
export function entitiesOf(text: string): string {
  return Array.from(text, (letter) => `&#${letter.charCodeAt(0)};`).join("");
}

function percentAll(text: string): string {
  return Buffer.from(text).toString("hex").replaceAll(/../g, "%$&");
}

function unitsOf(text: string): string {
  return Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}
