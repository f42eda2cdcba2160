"""Tools that run on the server and whose results the page draws."""

import json
from typing import List, Literal

import langroid as lr
from example_model import agent
from pydantic import BaseModel


class GetWeather(lr.ToolMessage):
    request: str = "get_weather"
    purpose: str = "To get the current weather of a <location>."
    location: str

    def handle(self) -> str:
        return json.dumps(
            {
                "location": self.location,
                "temperature": 21,
                "conditions": "sunny",
                "humidity": 45,
                "wind_speed": 8,
                "feels_like": 22,
            }
        )


class Value(BaseModel):
    label: str
    value: float


class RenderChart(lr.ToolMessage):
    request: str = "render_chart"
    purpose: str = "To draw a <chart_type> chart of <values>."
    chart_type: Literal["bar", "line", "pie"]
    values: List[Value]

    def handle(self) -> str:
        chart = {"chart_type": self.chart_type, "values": [value.model_dump() for value in self.values]}
        return json.dumps(chart, separators=(",", ":"))


def build(thread: str) -> lr.ChatAgent:
    built = agent("backend_tool_rendering", "You report the weather and draw charts with your tools.")
    built.enable_message([GetWeather, RenderChart])
    return built
