/** Inputs for the preview of a form before there are data. */

import { texts } from "../texts/workbench.js";
import type { Slot, TemplateForm } from "./templates.js";

/** A drawing of a road with a house and a tree, 640 by 400. */
const DRAWING =
  "data:image/svg+xml," +
  encodeURIComponent(
    "<svg xmlns='http://www.w3.org/2000/svg' width='640' height='400' viewBox='0 0 640 400'>" +
      "<rect width='640' height='400' fill='#cfe3f2'/>" +
      "<rect y='280' width='640' height='120' fill='#8ab17d'/>" +
      "<rect x='90' y='160' width='170' height='130' fill='#e9c46a'/>" +
      "<polygon points='75,165 175,80 275,165' fill='#9c4f2f'/>" +
      "<rect x='150' y='220' width='50' height='70' fill='#5b3a29'/>" +
      "<rect x='440' y='190' width='26' height='110' fill='#5b3a29'/>" +
      "<circle cx='453' cy='150' r='72' fill='#2a7f5f'/>" +
      "</svg>",
  );

/** A tone of a quarter of a second, as a WAV file of 8 bits. */
function tone(): string {
  const rate = 4000;
  const samples = rate / 4;
  const bytes = new Uint8Array(44 + samples);
  const view = new DataView(bytes.buffer);
  const write = (at: number, text: string): void => {
    for (let place = 0; place < text.length; place++) bytes[at + place] = text.charCodeAt(place);
  };
  write(0, "RIFF");
  view.setUint32(4, 36 + samples, true);
  write(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, rate, true);
  view.setUint32(28, rate, true);
  view.setUint16(32, 1, true);
  view.setUint16(34, 8, true);
  write(36, "data");
  view.setUint32(40, samples, true);
  for (let at = 0; at < samples; at++) {
    bytes[44 + at] = 128 + Math.round(60 * Math.sin((2 * Math.PI * 440 * at) / rate));
  }
  return `data:audio/wav;base64,${btoa(String.fromCharCode(...bytes))}`;
}

function sampleOf(slot: Slot, form: TemplateForm): unknown {
  switch (slot) {
    case "text":
      return texts.sample.text;
    case "left":
      return texts.sample.left;
    case "right":
      return texts.sample.right;
    case "items":
      return texts.sample.items;
    case "image":
      return DRAWING;
    case "audio":
      return tone();
    case "media":
      return form.medium === "image" ? DRAWING : form.medium === "audio" ? tone() : "";
    case "guess":
      return form.labels[0] ?? "";
  }
}

/** An input that has every part that the form shows. */
export function sampleInput(form: TemplateForm): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const [slot, member] of Object.entries(form.members)) {
    if (member !== "") input[member] = sampleOf(slot as Slot, form);
  }
  if (Object.keys(input).length === 0) input.text = texts.sample.text;
  return input;
}
