// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Banyan Authors

// Package oracle says what a cluster must look like when Banyan has come to rest,
// from nothing but what users wrote.
//
// It is a second implementation of the specification, and as dull as can be: it
// has no index and no memory, uses none of the product's code, and computes
// everything anew from all facts. Where it and Banyan disagree, one of them is
// wrong.
//
// # What is a fact
//
// Facts are what users wrote and Banyan never changes. Some of what users wrote
// depends on who came first, because Banyan answered in between: whether an object
// was replaced before its ancestor's went, whether a subnamespace had children when
// its anchor was deleted. For these, facts are taken from the cluster as it is
// afterwards, and Ledger checks that what was lost may have been lost. With one
// operation at a time nothing depends on order, and Fall predicts it.
//
// # What the oracle is silent about
//
//   - Copies in halted namespaces and of ignored types. They stay as they were when
//     the namespace was halted, which is a matter of time.
//   - Anchors in namespaces that are not managed. Nobody looks at them.
//   - Which of several anchors gets a name, and which labels an external namespace
//     still has from before: both depend on who came first.
//   - Texts for people, and times. Of the summary in the HNCConfiguration, reasons,
//     numbers and the first names are compared.
//   - Events. A replica that starts tells anew what stands in the way, so they are
//     also left out where nothing may be written.
//   - The HierarchyConfiguration's parent and managed labels where an anchor had a say
//     since users wrote them.
//   - Finalizers of copies. They alone are no reason to write.
package oracle
