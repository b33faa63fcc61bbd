"""What the notebooks show: figures, tables and pieces of code, each from real values or files.

What is the last line of a cell shows itself: as a picture or HTML in JupyterLab, VS Code and web pages, as
plain text in a terminal. All of it stands on a light ground of its own: it reads the same in every theme.
"""

from grader.show.cards import Card as Card
from grader.show.cards import table as table
from grader.show.figures.costs import Counted as Counted
from grader.show.figures.costs import bytes_text as bytes_text
from grader.show.figures.costs import measure as measure
from grader.show.figures.costs import measure_memory as measure_memory
from grader.show.figures.costs import parameter_count as parameter_count
from grader.show.figures.costs import side_by_side as side_by_side
from grader.show.figures.drawings import arrows as arrows
from grader.show.figures.drawings import graph as graph
from grader.show.figures.drawings import shared_heads as shared_heads
from grader.show.figures.drawings import tree as tree
from grader.show.figures.heatmaps import heatmap as heatmap
from grader.show.figures.heatmaps import masks as masks
from grader.show.figures.mistaken import Mistaken as Mistaken
from grader.show.figures.mistaken import mistake as mistake
from grader.show.figures.mistaken import mistake_ids as mistake_ids
from grader.show.figures.models import Model as Model
from grader.show.figures.models import model as model
from grader.show.figures.picture import Picture as Picture
from grader.show.figures.picture import canvas as canvas
from grader.show.figures.plots import bars as bars
from grader.show.figures.plots import contours as contours
from grader.show.figures.plots import lines as lines
from grader.show.figures.steps import steps as steps
from grader.show.figures.texts import models as models
from grader.show.figures.texts import questions as questions
from grader.show.figures.texts import sources as sources
from grader.show.figures.tracing import Trace as Trace
from grader.show.figures.tracing import trace as trace
