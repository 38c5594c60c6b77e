/** The texts of the labelling page. */

import type { Problem } from "../common/unit/form_model.js";

const units = (count: number, one: string, many: string): string =>
  `${count} ${count === 1 ? one : many}`;

export const texts = {
  title: "Labelling",
  name: {
    title: "Your name",
    label: "Contributor",
    hint: "The name under which your answers count. Your sign-in is bound to none.",
    button: "Begin",
  },
  steps: {
    title: "Work for you",
    lead: "Choose a task, or press its number.",
    none: "There is no work for you at the moment. This list looks again by itself.",
    incomplete: "Part of the tasks could not be looked up yet. This list looks again by itself.",
    back: "All tasks",
  },
  opening: "Getting your next unit …",
  waiting: {
    title: "Nothing to label right now",
    lead: "The next unit appears here by itself. You can also look at the other tasks.",
  },
  ended: {
    title: "That was all",
    notQualified: "There is no more work for you in this task. Thank you.",
    notFound: "This task is not there any more.",
    other: (reason: string) => `This task has no units for you: ${reason}`,
  },
  over: {
    title: "The time for this unit is over",
    lead: "Somebody else may have it now. Your draft is kept in case you get it again.",
    button: "Go on",
  },
  doneToday: (count: number) => `${units(count, "unit", "units")} handed in today`,
  unsent: (count: number) =>
    `${units(count, "answer is", "answers are")} kept here and sent when the connection is back`,
  late: (count: number) =>
    `${units(count, "answer", "answers")} came after the time was over and may not count`,
  understood: "OK",
  verdict: {
    right: "Your last answer was a test question, and right.",
    wrong: "Your last answer was a test question, and not right.",
  },
  leaseLeft: (time: string) => `Time for this unit: ${time}`,
  leaseHint: "The time goes on by itself while you work.",
  unit: "Unit",
  input: "Input",
  instructions: "Instructions",
  ownPage: "This task has a page of its own:",
  oneKey: "Choosing hands in.",
  handIn: "Hand in",
  handingIn: "Handing in …",
  skip: "Skip",
  undo: "Undo",
  allKeys: "Keys",
  stop: "Stop",
  optional: "(optional)",
  skipped: "Skipped. You will not get this unit again.",
  refused: (reason: string) => `This answer was not taken: ${reason}`,
  problem: (problem: Problem): string => {
    switch (problem.kind) {
      case "missing":
        return "Give an answer here.";
      case "fewer":
        return `Choose at least ${problem.least}.`;
      case "more":
        return `Choose at most ${problem.most}.`;
      case "below":
        return `Must be ${problem.least} or more.`;
      case "above":
        return `Must be ${problem.most} or less.`;
      case "short":
        return `Write at least ${units(problem.least, "character", "characters")}.`;
      case "long":
        return `Write at most ${units(problem.most, "character", "characters")}.`;
      case "fraction":
        return "Must be a whole number.";
    }
  },
  notANumber: "Must be a number.",
  media: {
    image: "Image",
    imageFailed: "The image cannot be shown. Skip the unit if you cannot answer without it.",
    imageLoading: "Loading the image …",
    open: "Open the image alone",
  },
  table: { name: "Name", value: "Value", more: (rows: number) => `and ${rows} more rows` },
  pair: { left: "Left", right: "Right" },
  tags: {
    help: "Select a part of the text, then press the key of its label. Arrow keys choose words.",
    text: "Text to label",
    list: "Labels",
    none: "Nothing is labelled yet.",
    remove: (label: string, part: string) => `Remove ${label} from “${part}”`,
  },
  shapes: {
    help: {
      box: "Drag over the image to draw a box.",
      point: "Click on the image to set a point.",
      polygon: "Click on the image to set corners; click the first corner to close.",
    },
    keyboard: "Or use arrow keys and Space.",
    image: "Image to mark",
    zoomIn: "Zoom in",
    zoomOut: "Zoom out",
    whole: "Whole image",
    pan: "Move the view",
    list: "Marks",
    none: "Nothing is marked yet.",
    name: { box: "Box", point: "Point", polygon: "Polygon" },
    remove: (name: string) => `Remove ${name}`,
    close: "Close the polygon",
    label: "Label of the next mark",
  },
  ranking: {
    help: "Press the keys in order, the best first. The same key takes an item out again.",
    ranked: "Your order",
    rest: "Not ranked yet",
    up: (item: string) => `Move ${item} up`,
    down: (item: string) => `Move ${item} down`,
  },
  json: {
    label: "Answer as JSON",
    hint: "This task has no form. Ctrl+Enter hands in.",
    invalid: (reason: string) => `This is not JSON: ${reason}`,
  },
  textHint: "Enter hands in, Shift+Enter begins a new line, Esc leaves the field.",
  lineHint: "Enter hands in, Esc leaves the field.",
  help: {
    title: "Keys",
    groups: {
      page: "Everywhere",
    },
    key: "Key",
    meaning: "Meaning",
    handIn: "Hand in",
    skip: "Skip: you are never offered this unit again",
    undo: "Undo the last change of the form",
    help: "Show this list",
    escape: "Leave a text field",
    move: "Next or previous question of the form",
    newLine: "Begin a new line in a text",
    oneKey: "chooses and hands in",
    chooses: "chooses",
    toggles: "adds or takes out",
    ranks: "comes next in the order",
    labels: "labels the selection",
    labelsShape: "is the label of the selected or next mark",
    tagMove: "Previous or next word",
    tagExtend: "Select more or fewer words",
    tagRemove: "Remove the label at the selection",
    crosshair: "Move the crosshair, with Shift in larger steps",
    place: "Set a corner or point at the crosshair",
    close: "Close the polygon",
    nextShape: "Select the next mark",
    removeShape: "Remove the selected or last mark",
    cancelShape: "Give up the mark that is begun",
    zoom: "Zoom in, zoom out, whole image",
  },
};
