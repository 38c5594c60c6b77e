/** Boxes, points and polygons on an image, in pixels of the image. */

import type { FieldOf, ShapeName } from "./form_model.js";
import { isRecord } from "./pointer.js";

export type Point = readonly [number, number];

export interface Shape {
  label: string | number | boolean | undefined;
  /** Of a box: two opposite corners. */
  points: readonly Point[];
}

export interface Size {
  width: number;
  height: number;
}

function isPoint(value: unknown): value is Point {
  return Array.isArray(value) && value.length === 2 && value.every((one) => Number.isFinite(one));
}

function pointsOf(shape: ShapeName, value: unknown): Point[] | undefined {
  if (!Array.isArray(value)) return undefined;
  switch (shape) {
    case "box": {
      const [left, top, right, bottom] = value as number[];
      const corners = [
        [left, top],
        [right, bottom],
      ];
      return corners.every(isPoint) ? (corners as unknown as Point[]) : undefined;
    }
    case "point":
      return isPoint(value) ? [value] : undefined;
    case "polygon":
      return value.every(isPoint) ? value : undefined;
  }
}

/** The shapes of a value; parts that are no shapes are left out. */
export function shapesOf(field: FieldOf<"shapes">, value: unknown): Shape[] {
  if (field.single) {
    const points = value === undefined ? undefined : pointsOf(field.shape, value);
    return points === undefined ? [] : [{ label: undefined, points }];
  }
  if (!Array.isArray(value)) return [];
  return value.flatMap((one): Shape[] => {
    if (!isRecord(one)) return [];
    const points = pointsOf(field.shape, one[field.shape]);
    const label = field.options.find((option) => option.value === one.label)?.value;
    return points === undefined ? [] : [{ label, points }];
  });
}

function placeOf(shape: ShapeName, points: readonly Point[]): unknown {
  const whole = points.map(([x, y]) => [Math.round(x), Math.round(y)] as const);
  const xs = whole.map(([x]) => x);
  const ys = whole.map(([, y]) => y);
  switch (shape) {
    case "box":
      return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    case "point":
      return whole[0];
    case "polygon":
      return whole;
  }
}

export function valueOfShapes(field: FieldOf<"shapes">, shapes: readonly Shape[]): unknown {
  if (field.single) {
    const [only] = shapes;
    return only === undefined ? undefined : placeOf(field.shape, only.points);
  }
  return shapes.map(({ label, points }) => ({
    ...(label === undefined ? {} : { label }),
    [field.shape]: placeOf(field.shape, points),
  }));
}

export function clamped([x, y]: Point, { width, height }: Size): Point {
  return [Math.min(Math.max(x, 0), width), Math.min(Math.max(y, 0), height)];
}

/** Whether points make a shape: a box has an area, a polygon three corners. */
export function isWhole(shape: ShapeName, points: readonly Point[]): boolean {
  if (shape === "point") return points.length === 1;
  if (shape === "polygon") return points.length >= 3;
  const [a, b] = points;
  return (
    a !== undefined && b !== undefined && Math.abs(a[0] - b[0]) >= 1 && Math.abs(a[1] - b[1]) >= 1
  );
}

/** The part of an image that is seen. */
export interface View {
  x: number;
  y: number;
  /** 1: all of the image. */
  zoom: number;
}

export const WHOLE_VIEW: View = { x: 0, y: 0, zoom: 1 };
const ZOOM_MAX = 16;

function inBounds(view: View, size: Size): View {
  const { zoom } = view;
  return {
    zoom,
    x: Math.min(Math.max(view.x, 0), size.width - size.width / zoom),
    y: Math.min(Math.max(view.y, 0), size.height - size.height / zoom),
  };
}

/** Nearer or farther by a factor; the point `around` stays where it is seen. */
export function zoomed(view: View, size: Size, factor: number, around: Point): View {
  const zoom = Math.min(Math.max(view.zoom * factor, 1), ZOOM_MAX);
  const share = view.zoom / zoom;
  return inBounds(
    {
      zoom,
      x: around[0] - (around[0] - view.x) * share,
      y: around[1] - (around[1] - view.y) * share,
    },
    size,
  );
}

export function panned(view: View, size: Size, dx: number, dy: number): View {
  return inBounds({ ...view, x: view.x + dx, y: view.y + dy }, size);
}

/** The view, moved so that a point is within it. */
export function showing(view: View, size: Size, [x, y]: Point): View {
  const width = size.width / view.zoom;
  const height = size.height / view.zoom;
  const edge = 0.05;
  return inBounds(
    {
      ...view,
      x: Math.min(Math.max(view.x, x - width * (1 - edge)), x - width * edge),
      y: Math.min(Math.max(view.y, y - height * (1 - edge)), y - height * edge),
    },
    size,
  );
}
