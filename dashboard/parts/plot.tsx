import { useEffect, useRef, useState } from "preact/hooks";
import { linePath, type PlotInput, type PlotSeries, plotShapes } from "../../lib/report/plot-geometry.ts";

type PlotProps = Omit<PlotInput, "width" | "height"> & {
  readonly title: string;
  /** Longer names of the labels, for the text beside the pointer. */
  readonly names: readonly string[];
  readonly height?: number;
};

/** The left and right keys move through the values, like the pointer. */
export function Plot({ title, names, height = 208, ...input }: PlotProps) {
  const { labels, inPart, series, format } = input;
  const [frame, width] = useWidth();
  const [active, setActive] = useState<number | null>(null);
  const { area, step, x, grid, bars, lines, hatches, labels: axis } = plotShapes({ ...input, width, height });
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
      <Legend series={series} hasParts={inPart.includes(true)} />
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        {grid.map(({ y, text }) => (
          <g key={y}>
            <line class="grid" x1={area.left} x2={area.left + area.width} y1={y} y2={y} />
            <text class="axis end" x={area.left - 8} y={y + 4}>
              {text}
            </text>
          </g>
        ))}
        {active !== null && (
          <rect class="band" x={area.left + active * step} y={area.top} width={step} height={area.height} />
        )}
        {bars.map(({ column, look, left, top, width: wide, height: tall, radius }) => (
          <rect
            key={`${column} ${look}`}
            class={`bar ${look}${inPart[column] ? " part" : ""}`}
            x={left}
            y={top}
            width={wide}
            height={tall}
            rx={radius}
          />
        ))}
        {hatches.map(({ look, path }) => (
          <path key={path} class={`hatch ${look}`} d={path} />
        ))}
        {lines.map(({ look, path, dots }) => (
          <g key={look}>
            <path class={`line ${look}`} d={path} />
            {dots.map(({ column, x: across, y, radius }) => (
              <circle
                key={column}
                class={`dot ${look}`}
                cx={across}
                cy={y}
                r={active === column ? 4.5 : radius}
              />
            ))}
          </g>
        ))}
        {axis.map(({ x: across, text }) => (
          <text key={text} class="axis middle" x={across} y={height - 8}>
            {text}
          </text>
        ))}
      </svg>
      <div
        class="tip"
        role="status"
        hidden={active === null}
        style={
          active === null ? {} : { left: `${(x(active) / width) * 100}%`, ...towards(x(active) / width) }
        }
      >
        {active !== null && (
          <>
            <b>{names[active]}</b>
            {series.map(({ name, look, values }) => (
              <span key={name}>
                <i class={`swatch ${look}`} /> {name}: {format(values[active] ?? null)}
              </span>
            ))}
          </>
        )}
      </div>
    </figure>
  );
}

type LegendProps = { readonly series: readonly PlotSeries[]; readonly hasParts: boolean };

const Legend = ({ series, hasParts }: LegendProps) => (
  <figcaption class="legend">
    {series.map(({ name, kind, look }) => (
      <span key={name}>
        <i class={`swatch ${kind} ${look}`} /> {name}
      </span>
    ))}
    {hasParts && (
      <span>
        <i class="swatch hatched" /> in part
      </span>
    )}
  </figcaption>
);

/** Keeps the text inside the chart. */
const towards = (part: number) => ({ transform: `translateX(${-Math.round(part * 100)}%)` });

const widthBefore = 480;
/** Every chart has this size on paper: two of them fit beside each other. */
const widthOnPaper = 330;

/** Charts are drawn as wide as the available space, so that their text keeps its size. */
function useWidth() {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(widthBefore);
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(frame.current);
    // A printed page is laid out without asking again.
    const onPrint = () => setWidth(widthOnPaper);
    const onPrinted = () => setWidth(frame.current?.clientWidth ?? widthBefore);
    addEventListener("beforeprint", onPrint);
    addEventListener("afterprint", onPrinted);
    return () => {
      observer.disconnect();
      removeEventListener("beforeprint", onPrint);
      removeEventListener("afterprint", onPrinted);
    };
  }, []);
  return [frame, width] as const;
}

type SparklineProps = {
  readonly values: ReadonlyArray<number | null>;
  /** The same of the period before, as a pale line. */
  readonly before?: ReadonlyArray<number | null> | null;
};

/** A line without text, beside its numbers. Weeks that count only in part are left out by the caller. */
export function Sparkline({ values, before = null }: SparklineProps) {
  const [width, tall] = [96, 26];
  const most = Math.max(1e-9, ...[...values, ...(before ?? [])].map((value) => value ?? 0));
  const step = (width - 6) / Math.max(1, values.length - 1);
  const x = (index: number) => (values.length === 1 ? width / 2 : 3 + index * step);
  const y = (value: number) => tall - 3 - (value / most) * (tall - 6);
  const last = values.findLastIndex((value) => value !== null);
  const lastValue = values[last] ?? null;
  return (
    <svg class="spark" viewBox={`0 0 ${width} ${tall}`} aria-hidden="true" focusable="false">
      {before && <path class="line ghost-line" d={linePath(before, { x, y })} />}
      <path class="line" d={linePath(values, { x, y })} />
      {lastValue !== null && <circle class="dot" cx={x(last)} cy={y(lastValue)} r="2.5" />}
    </svg>
  );
}
