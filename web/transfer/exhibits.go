package transfer

import "sandtable/web/ui"

func importExhibits() []ui.Exhibit { return nil }

func exportExhibits() []ui.Exhibit { return nil }
