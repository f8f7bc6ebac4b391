import { createContext } from "preact";
import { useContext, useEffect, useRef, useState } from "preact/hooks";
import { periodBeforeName } from "../../lib/report/charts.ts";
import {
  linePath,
  type PlotInput,
  type PlotSeries,
  type PlotShapes,
  plotShapes,
} from "../../lib/report/plot-geometry.ts";

/** True for what is printed: every chart has one size there. */
export const OnPaper = createContext(false);

type PlotProps = Omit<PlotInput, "width" | "height"> & {
  readonly title: string;
  /** Longer names of the labels, for the text beside the pointer. */
  readonly names: readonly string[];
  readonly height?: number;
};

/** The left and right keys move through the values, like the pointer. */
export function Plot({ title, names, height = 208, ...input }: PlotProps) {
  const { labels, inPart, series } = input;
  const [frame, width] = useWidth();
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
      <Legend series={series} hasParts={inPart.includes(true)} />
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" focusable="false">
        <Axes {...{ shapes, height, active }} />
        <Bars {...{ shapes, inPart }} />
        <Lines {...{ shapes, active }} />
      </svg>
      <Tip {...{ input, names, active }} at={active === null ? 0 : shapes.x(active) / width} />
    </figure>
  );
}

type Shapes = { readonly shapes: PlotShapes };
type Active = { readonly active: number | null };

const Axes = ({ shapes, height, active }: Shapes & Active & { readonly height: number }) => {
  const { area, step, grid, labels } = shapes;
  return (
    <>
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
      {labels.map(({ x, text }) => (
        <text key={text} class="axis middle" x={x} y={height - 8}>
          {text}
        </text>
      ))}
    </>
  );
};

const Bars = ({ shapes, inPart }: Shapes & Pick<PlotInput, "inPart">) => (
  <>
    {shapes.ghostBars.map(({ column, left, top, width, height }) => (
      <rect key={column} class="ghost-bar" x={left} y={top} width={width} height={height} />
    ))}
    {shapes.bars.map(({ column, look, left, top, width, height, radius }) => (
      <rect
        key={`${column} ${look}`}
        class={`bar ${look}${inPart[column] ? " part" : ""}`}
        {...{ x: left, y: top, width, height, rx: radius }}
      />
    ))}
    {shapes.hatches.map(({ look, path }) => (
      <path key={path} class={`hatch ${look}`} d={path} />
    ))}
  </>
);

const Lines = ({ shapes: { lines, ghostLines }, active }: Shapes & Active) => (
  <>
    {ghostLines.map(({ look, path }) => (
      <path key={look} class={`line ghost-line ${look}`} d={path} />
    ))}
    {lines.map(({ look, path, dots }) => (
      <g key={look}>
        <path class={`line ${look}`} d={path} />
        {dots.map(({ column, x, y, radius }) => (
          <circle key={column} class={`dot ${look}`} cx={x} cy={y} r={active === column ? 4.5 : radius} />
        ))}
      </g>
    ))}
  </>
);

type TipProps = Active & {
  readonly input: Pick<PlotInput, "series" | "format">;
  readonly names: readonly string[];
  /** Where the active column is, from 0 to 1: the text stays inside the chart. */
  readonly at: number;
};

const Tip = ({ input: { series, format }, names, active, at }: TipProps) => (
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

type LegendProps = { readonly series: readonly PlotSeries[]; readonly hasParts: boolean };

const Legend = ({ series, hasParts }: LegendProps) => (
  <figcaption class="legend">
    {series.map(({ name, kind, look }) => (
      <span key={name}>
        <i class={`swatch ${kind} ${look}`} /> {name}
      </span>
    ))}
    {series.some(({ before }) => before) && (
      <span>
        <i class={`swatch before ${series[0]?.kind ?? ""}`} /> {periodBeforeName}
      </span>
    )}
    {hasParts && (
      <span>
        <i class="swatch hatched" /> in part
      </span>
    )}
  </figcaption>
);

const widthBefore = 480;
/** Two charts fit beside each other on paper. */
const widthOnPaper = 330;

/** Charts are drawn as wide as the available space, so that their text keeps its size. */
function useWidth() {
  const frame = useRef<HTMLElement>(null);
  const [width, setWidth] = useState(widthBefore);
  const isOnPaper = useContext(OnPaper);
  useEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, []);
  return [frame, isOnPaper ? widthOnPaper : width] as const;
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
