import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

import { texts } from "../../../texts/label.js";
import type { FieldOf } from "../form_model.js";
import type { Press } from "../key_commands.js";
import {
  WHOLE_VIEW,
  clamped,
  isWhole,
  panned,
  shapesOf,
  showing,
  valueOfShapes,
  zoomed,
  type Point,
  type Shape,
  type Size,
  type View,
} from "../shapes.js";
import { FieldBox } from "./field_box.js";
import type { PropsOf } from "./field_props.js";
import { Options } from "./options.js";
import { ShapesCanvas } from "./shapes_canvas.js";

const ZOOM_STEP = 1.5;
/** Steps of the crosshair and of the view, as parts of what is seen. */
const STEP = 1 / 100;
const LARGE_STEP = 1 / 10;

type Loaded = { state: "loading" } | { state: "failed" } | { state: "shown"; size: Size };

/** The natural size of an image, which the coordinates are in. */
function useImage(source: string): Loaded {
  const [loaded, setLoaded] = useState<Loaded>({ state: "loading" });
  useEffect(() => {
    setLoaded({ state: "loading" });
    const image = new Image();
    image.onload = () => {
      const { naturalWidth: width, naturalHeight: height } = image;
      setLoaded(
        width > 0 && height > 0 ? { state: "shown", size: { width, height } } : { state: "failed" },
      );
    };
    image.onerror = () => setLoaded({ state: "failed" });
    image.referrerPolicy = "no-referrer";
    image.src = source;
    return () => {
      image.onload = null;
      image.onerror = null;
    };
  }, [source]);
  return loaded;
}

export function ShapesField(props: PropsOf<"shapes">): VNode {
  const { field } = props;
  const loaded = useImage(field.image);
  const help = `${texts.shapes.help[field.shape]} ${texts.shapes.keyboard}`;
  return (
    <FieldBox {...props} help={help}>
      {loaded.state === "loading" && <p class="loading">{texts.media.imageLoading}</p>}
      {loaded.state === "failed" && (
        <p class="notice" role="status">
          {texts.media.imageFailed}
        </p>
      )}
      {loaded.state === "shown" && <ShapesEditor {...props} size={loaded.size} />}
    </FieldBox>
  );
}

function nameOf(field: FieldOf<"shapes">, shape: Shape, place: number): string {
  const title = field.options.find((one) => one.value === shape.label)?.title;
  const name = `${texts.shapes.name[field.shape]} ${place + 1}`;
  return title === undefined ? name : `${name}: ${title}`;
}

function ShapesEditor(props: PropsOf<"shapes"> & { size: Size }): VNode {
  const { field, size, set } = props;
  const shapes = shapesOf(field, props.value);
  const [view, setView] = useState<View>(WHOLE_VIEW);
  const [begun, setBegun] = useState<readonly Point[]>([]);
  const [crosshair, setCrosshair] = useState<Point | undefined>(undefined);
  const [selected, setSelected] = useState<number | undefined>(undefined);
  const [nextLabel, setNextLabel] = useState(field.options[0]?.value);
  const [isPanning, setPanning] = useState(false);
  const previous = useRef(shapes.length);
  if (previous.current > shapes.length && selected !== undefined && selected >= shapes.length) {
    setSelected(undefined); // `u` has taken it
  }
  previous.current = shapes.length;

  const setShapes = (next: readonly Shape[]): void => set(valueOfShapes(field, next));
  const add = (points: readonly Point[]): void => {
    setBegun([]);
    if (!isWhole(field.shape, points)) return;
    const shape = { label: field.options.length > 0 ? nextLabel : undefined, points };
    const next = field.single ? [shape] : [...shapes, shape];
    if (next.length > field.max) return;
    setShapes(next);
    setSelected(next.length - 1);
  };
  const place = (point: Point): void => {
    const points = [...begun, clamped(point, size)];
    if (field.shape === "point" || (field.shape === "box" && points.length === 2)) add(points);
    else setBegun(points);
  };
  const remove = (at: number): void => {
    setShapes(shapes.filter((_one, index) => index !== at));
    setSelected(undefined);
  };
  const chooseLabel = (at: number): void => {
    const label = field.options[at]?.value;
    setNextLabel(label);
    if (selected !== undefined && shapes[selected] !== undefined) {
      setShapes(shapes.map((one, index) => (index === selected ? { ...one, label } : one)));
    }
  };
  const zoom = (factor: number, around?: Point): void => {
    const middle: Point = [
      view.x + size.width / view.zoom / 2,
      view.y + size.height / view.zoom / 2,
    ];
    setView(zoomed(view, size, factor, around ?? crosshair ?? middle));
  };
  const moveCrosshair = (dx: number, dy: number): void => {
    const width = size.width / view.zoom;
    const height = size.height / view.zoom;
    const from: Point = crosshair ?? [view.x + width / 2, view.y + height / 2];
    const to =
      crosshair === undefined ? from : clamped([from[0] + dx * width, from[1] + dy * height], size);
    setCrosshair(to);
    setView(showing(view, size, to));
  };

  const press = ({ key, shift }: Press): void => {
    const step = shift ? LARGE_STEP : STEP;
    switch (key) {
      case "ArrowLeft":
        return moveCrosshair(-step, 0);
      case "ArrowRight":
        return moveCrosshair(step, 0);
      case "ArrowUp":
        return moveCrosshair(0, -step);
      case "ArrowDown":
        return moveCrosshair(0, step);
      case " ":
        return crosshair === undefined ? moveCrosshair(0, 0) : place(crosshair);
      case "c":
        return field.shape === "polygon" ? add(begun) : undefined;
      case "n":
        if (shapes.length > 0) setSelected(((selected ?? -1) + 1) % shapes.length);
        return undefined;
      case "Escape":
        setBegun([]);
        return setSelected(undefined);
      case "Backspace":
      case "Delete":
        if (begun.length > 0) return setBegun(begun.slice(0, -1));
        return shapes.length > 0 ? remove(selected ?? shapes.length - 1) : undefined;
      case "+":
        return zoom(ZOOM_STEP);
      case "-":
        return zoom(1 / ZOOM_STEP);
      case "0":
        return setView(WHOLE_VIEW);
      default:
        return undefined;
    }
  };
  props.answerKeys({ option: chooseLabel, press });

  const shownLabel = selected === undefined ? nextLabel : (shapes[selected]?.label ?? nextLabel);
  return (
    <>
      <div class="canvas-head">
        {field.options.length > 0 && (
          <Options
            options={field.options}
            chosen={(one) => one.value === shownLabel}
            choose={chooseLabel}
            isSmall
          />
        )}
        <div class="canvas-tools" role="toolbar" aria-label={texts.shapes.image}>
          <button
            type="button"
            class="button"
            data-form
            aria-label={texts.shapes.zoomIn}
            onClick={() => zoom(ZOOM_STEP)}
          >
            +
          </button>
          <button
            type="button"
            class="button"
            data-form
            aria-label={texts.shapes.zoomOut}
            onClick={() => zoom(1 / ZOOM_STEP)}
          >
            −
          </button>
          <button type="button" class="button" data-form onClick={() => setView(WHOLE_VIEW)}>
            {texts.shapes.whole}
          </button>
          <button
            type="button"
            class="button"
            data-form
            aria-pressed={isPanning}
            onClick={() => setPanning(!isPanning)}
          >
            {texts.shapes.pan}
          </button>
          {field.shape === "polygon" && begun.length >= 3 && (
            <button type="button" class="button" data-form onClick={() => add(begun)}>
              {texts.shapes.close}
            </button>
          )}
        </div>
      </div>
      <ShapesCanvas
        field={field}
        size={size}
        shapes={shapes}
        view={view}
        begun={begun}
        crosshair={crosshair}
        selected={selected}
        isPanning={isPanning}
        onPlace={place}
        onBox={(from, to) => add([clamped(from, size), clamped(to, size)])}
        onClose={() => add(begun)}
        onSelect={setSelected}
        onMove={(at, points) =>
          setShapes(shapes.map((one, index) => (index === at ? { ...one, points } : one)))
        }
        onPan={(dx, dy) => setView((now) => panned(now, size, dx, dy))}
        onZoom={(factor, around) => zoom(factor, around)}
      />
      <h4>{texts.shapes.list}</h4>
      {shapes.length === 0 ? (
        <p class="soft">{texts.shapes.none}</p>
      ) : (
        <ul class="marks">
          {shapes.map((shape, at) => (
            <li key={at}>
              <button
                type="button"
                class="button button-quiet"
                data-form
                aria-pressed={at === selected}
                onClick={() => setSelected(at)}
              >
                {nameOf(field, shape, at)}
              </button>
              <button
                type="button"
                class="button button-quiet"
                data-form
                aria-label={texts.shapes.remove(nameOf(field, shape, at))}
                onClick={() => remove(at)}
              >
                ✕
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
