import type { JSX, VNode } from "preact";
import { useRef, useState } from "preact/hooks";

import { texts } from "../../../texts/label.js";
import type { FieldOf } from "../form_model.js";
import { clamped, type Point, type Shape, type Size, type View } from "../shapes.js";

/** A pointer that moved less, in pixels of the screen, has clicked. */
const CLICK_PIXELS = 5;
/** Clicks so near to the first corner close a polygon. */
const CLOSE_PIXELS = 12;
const WHEEL_ZOOM = 1.2;

interface CanvasProps {
  field: FieldOf<"shapes">;
  size: Size;
  shapes: readonly Shape[];
  view: View;
  /** Corners of the shape that is being drawn. */
  begun: readonly Point[];
  crosshair: Point | undefined;
  selected: number | undefined;
  /** A pointer moves the view in place of drawing. */
  isPanning: boolean;
  onPlace: (point: Point) => void;
  onBox: (from: Point, to: Point) => void;
  onClose: () => void;
  onSelect: (at: number | undefined) => void;
  onMove: (at: number, points: readonly Point[]) => void;
  onPan: (dx: number, dy: number) => void;
  onZoom: (factor: number, around: Point) => void;
}

/** What a pressed pointer does. */
type Drag =
  | { kind: "draw"; from: Point; to: Point; isMoved: boolean }
  | { kind: "pan"; from: Point }
  | { kind: "corner"; at: number; corner: number; points: readonly Point[] };

type SvgPointer = JSX.TargetedPointerEvent<SVGSVGElement>;

function boxOf(a: Point, b: Point): { x: number; y: number; width: number; height: number } {
  return {
    x: Math.min(a[0], b[0]),
    y: Math.min(a[1], b[1]),
    width: Math.abs(a[0] - b[0]),
    height: Math.abs(a[1] - b[1]),
  };
}

const listText = (points: readonly Point[]): string => points.map((one) => one.join(",")).join(" ");

/** The topmost box around a point. */
function boxAt(shapes: readonly Shape[], [x, y]: Point): number | undefined {
  for (let at = shapes.length - 1; at >= 0; at--) {
    const [a, b] = shapes[at]?.points ?? [];
    if (a === undefined || b === undefined) continue;
    const { x: left, y: top, width, height } = boxOf(a, b);
    if (x >= left && x <= left + width && y >= top && y <= top + height) return at;
  }
  return undefined;
}

function Outline(props: {
  field: FieldOf<"shapes">;
  shape: Shape;
  isSelected: boolean;
  radius: number;
}): VNode {
  const { field, shape } = props;
  const tone = field.options.findIndex((one) => one.value === shape.label);
  const classes = `shape tone-${Math.max(tone, 0) % 8}${props.isSelected ? " is-selected" : ""}`;
  const [a, b] = shape.points;
  if (field.shape === "box" && a !== undefined && b !== undefined) {
    return <rect class={classes} {...boxOf(a, b)} />;
  }
  if (field.shape === "point" && a !== undefined) {
    return <circle class={classes} cx={a[0]} cy={a[1]} r={props.radius} />;
  }
  return <polygon class={classes} points={listText(shape.points)} />;
}

/** The image with its shapes. The page draws nothing of a stranger but the image itself. */
export function ShapesCanvas(props: CanvasProps): VNode {
  const { field, size, view, shapes, begun, crosshair } = props;
  const svg = useRef<SVGSVGElement>(null);
  const [drag, setDrag] = useState<Drag | undefined>(undefined);
  const [pointer, setPointer] = useState<Point | undefined>(undefined);
  const width = size.width / view.zoom;
  const height = size.height / view.zoom;
  /** Pixels of the image in one of the screen. */
  const unit = width / Math.max(svg.current?.clientWidth ?? 600, 1);

  const pointOf = (event: { clientX: number; clientY: number }): Point => {
    const matrix = svg.current?.getScreenCTM();
    if (matrix === null || matrix === undefined) return [0, 0];
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    return [x, y];
  };
  const near = (a: Point, b: Point, pixels: number): boolean =>
    Math.hypot(a[0] - b[0], a[1] - b[1]) <= pixels * unit;

  const down = (event: SvgPointer): void => {
    const from = pointOf(event);
    if (event.button > 1) return;
    const handle = event.target instanceof SVGElement ? event.target.dataset.handle : undefined;
    event.currentTarget.setPointerCapture(event.pointerId);
    if (event.button === 1 || props.isPanning) {
      event.preventDefault();
      setDrag({ kind: "pan", from });
    } else if (handle !== undefined && props.selected !== undefined) {
      const points = shapes[props.selected]?.points ?? [];
      setDrag({ kind: "corner", at: props.selected, corner: Number(handle), points });
    } else {
      setDrag({ kind: "draw", from, to: from, isMoved: false });
    }
  };
  const move = (event: SvgPointer): void => {
    const to = pointOf(event);
    setPointer(to);
    if (drag?.kind === "pan") props.onPan(drag.from[0] - to[0], drag.from[1] - to[1]);
    if (drag?.kind === "draw") {
      setDrag({ ...drag, to, isMoved: drag.isMoved || !near(drag.from, to, CLICK_PIXELS) });
    }
    if (drag?.kind === "corner") {
      const points = drag.points.map((one, at) => (at === drag.corner ? clamped(to, size) : one));
      setDrag({ ...drag, points });
    }
  };
  const click = (at: Point): void => {
    const [first] = begun;
    if (field.shape === "polygon" && first !== undefined && begun.length >= 3) {
      if (near(first, at, CLOSE_PIXELS)) return props.onClose();
    }
    if (field.shape === "box" && begun.length === 0) return props.onSelect(boxAt(shapes, at));
    props.onPlace(at);
  };
  const up = (event: SvgPointer): void => {
    const ended = drag;
    setDrag(undefined);
    if (ended?.kind === "corner") props.onMove(ended.at, ended.points);
    if (ended?.kind !== "draw") return;
    if (!ended.isMoved) click(pointOf(event));
    else if (field.shape === "box") props.onBox(ended.from, pointOf(event));
  };

  const moved =
    drag?.kind === "corner"
      ? shapes.map((one, at) => (at === drag.at ? { ...one, points: drag.points } : one))
      : shapes;
  const chosen = props.selected === undefined ? undefined : moved[props.selected];
  const drawn =
    drag?.kind === "draw" && drag.isMoved && field.shape === "box"
      ? [drag.from, drag.to]
      : undefined;
  const end = crosshair ?? pointer;
  const [corner] = begun;
  return (
    <svg
      ref={svg}
      class={`canvas canvas-${field.shape}${props.isPanning ? " canvas-pan" : ""}`}
      role="img"
      aria-label={texts.shapes.image}
      viewBox={`${view.x} ${view.y} ${width} ${height}`}
      style={{ aspectRatio: `${size.width} / ${size.height}` }}
      onPointerDown={down}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={() => setDrag(undefined)}
      onPointerLeave={() => setPointer(undefined)}
      onWheel={(event) => {
        if (!event.ctrlKey && !event.metaKey) return; // the page scrolls
        event.preventDefault();
        props.onZoom(event.deltaY < 0 ? WHEEL_ZOOM : 1 / WHEEL_ZOOM, pointOf(event));
      }}
    >
      <image href={field.image} x={0} y={0} width={size.width} height={size.height} />
      {moved.map((shape, at) => (
        <Outline
          key={at}
          field={field}
          shape={shape}
          isSelected={at === props.selected}
          radius={6 * unit}
        />
      ))}
      {drawn?.[0] !== undefined && drawn[1] !== undefined && (
        <rect class="shape shape-begun" {...boxOf(drawn[0], drawn[1])} />
      )}
      {field.shape === "box" && corner !== undefined && end !== undefined && (
        <rect class="shape shape-begun" {...boxOf(corner, end)} />
      )}
      {field.shape === "polygon" && begun.length > 0 && (
        <polyline
          class="shape shape-begun"
          points={listText(end === undefined ? begun : [...begun, end])}
        />
      )}
      {begun.map(([x, y], at) => (
        <circle key={`begun-${at}`} class="handle" cx={x} cy={y} r={5 * unit} />
      ))}
      {chosen?.points.map(([x, y], at) => (
        <circle key={`corner-${at}`} class="handle" data-handle={at} cx={x} cy={y} r={6 * unit} />
      ))}
      {crosshair !== undefined && (
        <g class="crosshair">
          <line x1={crosshair[0]} x2={crosshair[0]} y1={view.y} y2={view.y + height} />
          <line y1={crosshair[1]} y2={crosshair[1]} x1={view.x} x2={view.x + width} />
        </g>
      )}
    </svg>
  );
}
