import { useEffect, useRef, useState } from "preact/hooks";
import { legendOf, linePath, plotElements, plotShapes } from "../../lib/report/plot-geometry.ts";
import type { DrawnTrend } from "../../lib/report/trends.ts";

type PlotProps = DrawnTrend & {
  readonly height?: number;
  /** How many charts of this width fit beside each other. */
  readonly beside?: number;
};

/** The left and right keys move through the values, like the pointer. */
export function Plot({ height = 208, beside = 3, ...input }: PlotProps) {
  const { title, labels, inPart } = input;
  const [frame, width] = useWidth(beside);
  const [active, setActive] = useState<number | null>(null);
  const shapes = plotShapes({ ...input, width, height });
  const { area, step } = shapes;
  const move = (by: number) =>
    setActive((at) => Math.min(labels.length - 1, Math.max(0, at === null ? labels.length - 1 : at + by)));
  return (
    <figure
      ref={frame}
      class="plot"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys walk through the values
      tabIndex={0}
      aria-label={`${title}. Left and right arrow keys read the values.`}
      onKeyDown={(event) => {
        const by = event.key === "ArrowLeft" ? -1 : event.key === "ArrowRight" ? 1 : 0;
        if (by === 0) return;
        event.preventDefault();
        move(by);
      }}
      onBlur={() => setActive(null)}
      onPointerLeave={() => setActive(null)}
      onPointerMove={(event) => {
        const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
        const index = Math.floor((at - area.left) / step);
        setActive(index >= 0 && index < labels.length ? index : null);
      }}
    >
      <figcaption class="legend">
        {legendOf(input).map(({ look, name }) => (
          <span key={name}>
            <i class={`swatch ${look}`} /> {name}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {active !== null && (
          <rect class="band" x={area.left + active * step} y={area.top} width={step} height={area.height} />
        )}
        {plotElements(shapes, inPart).map(({ tag: Tag, attributes, text, value }, index) => (
          <Tag key={index} {...attributes} {...(Tag === "circle" && value?.column === active && { r: 4.5 })}>
            {text}
          </Tag>
        ))}
      </svg>
      <Tip {...{ input, active }} at={active === null ? 0 : shapes.x(active) / width} />
    </figure>
  );
}

type Active = { readonly active: number | null };

type TipProps = Active & {
  readonly input: Pick<DrawnTrend, "series" | "format" | "names">;
  /** Where the active column is, from 0 to 1: the text stays inside the chart. */
  readonly at: number;
};

const Tip = ({ input: { series, format, names }, active, at }: TipProps) => (
  <div
    class="tip"
    role="status"
    hidden={active === null}
    style={
      active === null ? {} : { left: `${at * 100}%`, transform: `translateX(${-Math.round(at * 100)}%)` }
    }
  >
    {active !== null && (
      <>
        <b>{names[active]}</b>
        {series.map(({ name, look, values, before }) => (
          <span key={name}>
            <i class={`swatch ${look}`} /> {name}: {format(values[active] ?? null)}
            {before && ` (before: ${format(before[active] ?? null)})`}
          </span>
        ))}
      </>
    )}
  </div>
);

const widthBefore = 480;
/** What the cards of a row leave for their charts on paper. */
const paperWidth = 640;

/** Charts are drawn as wide as the available space, so that their text keeps its size. */
function useWidth(beside: number) {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(widthBefore);
  const isPrinting = usePrinting();
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, isPrinting ? Math.floor(paperWidth / beside) : width] as const;
}

/** A browser says that it prints before it lays out the paper. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const media = matchMedia("print");
    const look = () => setPrinting(media.matches);
    const begin = () => setPrinting(true);
    media.addEventListener("change", look);
    addEventListener("beforeprint", begin);
    addEventListener("afterprint", look);
    return () => {
      media.removeEventListener("change", look);
      removeEventListener("beforeprint", begin);
      removeEventListener("afterprint", look);
    };
  }, []);
  return isPrinting;
}

type SparklineProps = {
  readonly values: ReadonlyArray<number | null>;
  /** The same of the period before, as a pale line. */
  readonly before?: ReadonlyArray<number | null> | null;
  readonly look?: string;
};

/** A line without text, beside its numbers. Weeks that count only in part are left out by the caller. */
export function Sparkline({ values, before = null, look = "one" }: SparklineProps) {
  const [width, tall] = [96, 26];
  const most = Math.max(1e-9, ...[...values, ...(before ?? [])].map((value) => value ?? 0));
  const step = (width - 6) / Math.max(1, values.length - 1);
  const x = (index: number) => (values.length === 1 ? width / 2 : 3 + index * step);
  const y = (value: number) => tall - 3 - (value / most) * (tall - 6);
  const last = values.findLastIndex((value) => value !== null);
  const lastValue = values[last] ?? null;
  return (
    <svg class={`spark ${look}`} viewBox={`0 0 ${width} ${tall}`} aria-hidden="true" focusable="false">
      {before && <path class="line ghost-line" d={linePath(before, { x, y })} />}
      <path class="line" d={linePath(values, { x, y })} />
      {lastValue !== null && <circle class="dot" cx={x(last)} cy={y(lastValue)} r="2.5" />}
    </svg>
  );
}
